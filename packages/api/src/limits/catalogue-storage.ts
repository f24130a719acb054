import type { PlanSpec } from '../kinds/plan.ts';
import { choiceOf, inClustersOf, type LimitDefinition } from './definition.ts';
import { code, link, listOf, type RichText, text } from './rich-text.ts';

/** Kubernetes' access modes and their short names. */
const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadWriteOncePod: 'RWOP',
  ReadWriteMany: 'RWX',
  ReadOnlyMany: 'ROX',
};
const ACCESS_MODES_URL = 'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes';
const CLASSES_URL = 'https://kubernetes.io/docs/concepts/storage/storage-classes/';

/** Limits of volumes. */
export const STORAGE_LIMITS: readonly LimitDefinition[] = [
  {
    limit: 'storage.accessModes',
    heading: 'Persistent volumes (PVs)',
    state(plan, context) {
      const choice = choiceOf(Object.keys(ACCESS_MODES), plan.storage?.accessModes, context);
      if (choice === undefined) return undefined;
      const { supported, unsupported } = choice;
      const isOne = supported.length === 1;
      const noun = link(isOne ? 'access mode' : 'access modes', ACCESS_MODES_URL);
      const start = isOne ? text`the only supported PV ${noun} is` : text`the supported PV ${noun} are`;
      return {
        ...choice,
        sentences: [
          text`${inClustersOf(context)}, ${start} ${listOf(supported.map(modeText))}.`,
          canHaveShares(plan)
            ? text`Cinder volumes cannot have ${modes(unsupported)}; shares can.`
            : text`You cannot use ${modes(unsupported)} PVs.`,
        ],
      };
    },
  },
  {
    limit: 'storage.tenantClasses',
    heading: 'Dynamic volume provisioning storage classes',
    state({ storage }, { brand, service }) {
      if (storage?.tenantClasses !== 'Refused') return undefined;
      const names = storage.classes?.map(({ name }) => name) ?? ['default'];
      return {
        supported: names,
        sentences: [
          text`In ${brand}, clusters of ${service} contain ${classesText(names)}.`,
          text`We do not provide support for any user-defined storage classes.`,
        ],
      };
    },
  },
];

function modeText(mode: string): RichText {
  return text`${code(mode)} (${code(ACCESS_MODES[mode] ?? mode)})`;
}

function modes(names: readonly string[]): RichText {
  return listOf(names.map(modeText), 'or');
}

function classesText(names: readonly string[]): RichText {
  if (names.length === 0) return text`no ${link('storage classes', CLASSES_URL)}`;
  const list = listOf(names.map(code));
  return names.length === 1
    ? text`a single ${link('storage class', CLASSES_URL)} named ${list}, which is the supported storage class you should use for all dynamically-provisioned persistent volumes`
    : text`the ${link('storage classes', CLASSES_URL)} ${list}, which are the supported storage classes you should use for all dynamically-provisioned persistent volumes`;
}

/** Shares have access modes of their own, which the plan does not limit. */
function canHaveShares({ allowed }: PlanSpec): boolean {
  const features: readonly string[] | undefined = allowed?.features;
  return features?.includes('Shares') ?? true;
}
