import type { PlanSpec } from '../kinds/plan.ts';
import { choiceOf, type LimitDefinition, type StatementContext } from './definition.ts';
import { code, listOf, type RichText, text } from './rich-text.ts';

/** Magnum's names of Fairway's pod networks. */
export const MAGNUM_DRIVERS = [
  { driver: 'calico', podNetwork: 'canal' },
  { driver: 'cilium', podNetwork: 'cilium' },
] as const;

/** Magnum's default driver, which Fairway refuses: its pod network has no network policies. */
export const REFUSED_DRIVER = 'flannel';

/** Whether a service is used through the Magnum API. */
function isMagnumService(service: string): boolean {
  return service.toLowerCase().includes('magnum');
}

/** Limits of the Magnum API. */
export const MAGNUM_LIMITS: readonly LimitDefinition[] = [
  {
    limit: 'magnum.coe',
    heading: 'Container Orchestration Engines',
    state(_plan, { brand, service }) {
      if (!isMagnumService(service)) return undefined;
      return {
        supported: ['kubernetes'],
        unsupported: ['swarm', 'mesos'],
        sentences: [
          text`In ${brand}, Magnum only supports the ${code('kubernetes')} Container Orchestration Engine (COE).`,
          text`The legacy ${code('swarm')} and ${code('mesos')} COEs are not supported.`,
        ],
      };
    },
  },
  {
    limit: 'magnum.networkDrivers',
    heading: 'Cluster networking',
    state(plan, context) {
      if (!isMagnumService(context.service)) return undefined;
      const { supported, unsupported } = driversOf(plan);
      return {
        supported,
        unsupported: [...unsupported, REFUSED_DRIVER],
        sentences: [
          supportedDrivers(supported, context),
          text`We do not support the ${code(REFUSED_DRIVER)} network driver.`,
          ...(unsupported.length > 0 ? [text`You cannot use ${listOf(unsupported.map(code), 'or')}.`] : []),
        ],
      };
    },
  },
];

function driversOf({ cni }: PlanSpec): {
  readonly supported: readonly string[];
  readonly unsupported: readonly string[];
} {
  const drivers = MAGNUM_DRIVERS.map(({ driver }) => driver);
  const allowed = MAGNUM_DRIVERS.filter(({ podNetwork }) => cni.allowed.includes(podNetwork));
  const choice = choiceOf(
    drivers,
    allowed.map(({ driver }) => driver),
    { isEnded: () => false },
  );
  return choice ?? { supported: drivers, unsupported: [] };
}

function supportedDrivers(supported: readonly string[], { brand }: StatementContext): RichText {
  const names = listOf(supported.map(code));
  if (supported.length === 0) return text`No Magnum network driver is supported in ${brand}.`;
  return supported.length === 1
    ? text`The only supported Magnum network driver in ${brand} is ${names}.`
    : text`The supported Magnum network drivers in ${brand} are ${names}.`;
}
