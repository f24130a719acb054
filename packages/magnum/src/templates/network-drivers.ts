import type { Plan } from '@fairway/api/kinds/plan';
import { enforcementOf, noteOn, refusalOf } from '@fairway/api/limits/notes';
import { invalidInput } from '../http/magnum-error.ts';

type PodNetwork = Plan['spec']['cni']['default'];

/** Values of `network_driver`, and the corresponding pod network. `flannel` is only that of templates of earlier releases. */
const NETWORK_DRIVERS = {
  flannel: 'canal',
  calico: 'canal',
  canal: 'canal',
  cilium: 'cilium',
  none: 'none',
} as const satisfies Record<string, PodNetwork>;

type NetworkDriver = keyof typeof NETWORK_DRIVERS;

/** Magnum's name of each pod network. */
const DRIVER_OF = { canal: 'calico', cilium: 'cilium', none: 'none' } as const satisfies Record<
  PodNetwork,
  NetworkDriver
>;

export function networkDriverOf(cni: PodNetwork): NetworkDriver {
  return DRIVER_OF[cni];
}

/**
 * Throws 400 for a driver that Fairway does not have; the error names those of the plan, if it is known. A template of an
 * earlier release keeps its driver `stored`. Pure.
 */
export function checkNetworkDriver(
  driver: string | undefined,
  {
    stored,
    plan,
    nowMs,
  }: { readonly stored: string | undefined; readonly plan: Plan | undefined; readonly nowMs: number },
): void {
  if (driver === undefined || driver === stored || (isNetworkDriver(driver) && driver !== 'flannel')) return;
  const note = plan && noteOn(plan.spec, 'cni.allowed', driver);
  const explanation =
    plan && note ? enforcementOf(plan.spec, { limit: 'cni.allowed', limitedValue: driver }, nowMs).explanation : '';
  throw invalidInput(`network_driver ${driver.slice(0, 40)} is not supported: ${choice(plan)}${explanation}`);
}

/** The pod network for a template's driver. Throws 400, with the plan's note, if the plan refuses it. Pure. */
export function podNetworkOf(driver: string, plan: Plan | undefined, nowMs: number): PodNetwork {
  if (!isNetworkDriver(driver)) throw invalidInput(`network_driver ${driver.slice(0, 40)} is not supported`);
  const cni = NETWORK_DRIVERS[driver];
  if (plan === undefined) return cni;
  const problem = plan.spec.cni.allowed.includes(cni)
    ? undefined
    : `network_driver ${driver} is not supported by plan "${plan.metadata.name}": ${choice(plan)}`;
  const refusal = refusalOf(plan, { limit: 'cni.allowed', value: cni, problem }, nowMs);
  if (refusal !== undefined) throw invalidInput(refusal);
  return cni;
}

function choice(plan: Plan | undefined): string {
  const names = (plan?.spec.cni.allowed ?? (['canal', 'cilium', 'none'] as const)).map(networkDriverOf);
  return `use ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)}`;
}

function isNetworkDriver(driver: string): driver is NetworkDriver {
  return Object.hasOwn(NETWORK_DRIVERS, driver);
}
