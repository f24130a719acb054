import type { PlanStorageClass } from '@fairway/api/kinds/plan-storage';
import type { VolumeType } from '@fairway/openstack/types/block-storage';

const MAX_NAMES = 20;

/** What the operator has to mend of the classes of a plan, where the cloud has these types of volumes; undefined for nothing. Pure. */
export function flawOfClasses(
  classes: readonly PlanStorageClass[],
  types: readonly Pick<VolumeType, 'id' | 'name'>[],
  plan: string,
): string | undefined {
  const isKnown = (type: string) => types.some(({ id, name }) => type === id || type === name);
  const flaws = classes.flatMap(({ name, volumeType }) =>
    volumeType === undefined || isKnown(volumeType) ? [] : [`${volumeType}, which StorageClass ${name} names`],
  );
  if (flaws.length === 0) return undefined;
  const names = types
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_NAMES);
  const offered = names.length === 0 ? 'none' : names.join(', ');
  return `the cloud has no volume type ${flaws.join(', nor ')}; it has ${offered}. Volumes of other classes are made; the operator mends spec.storage.classes of plan "${plan}", or makes the type`;
}
