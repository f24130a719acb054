import type { PlanStorageClass } from '@fairway/api/kinds/plan-storage';
import type { VolumeType } from '@fairway/openstack/types/block-storage';

const MAX_NAMES = 20;

/** Which optional classes a cluster lacks, and how to obtain them; undefined if it lacks none. Pure. */
export function omittedClassesNote(omittedClasses: readonly PlanStorageClass[]): string | undefined {
  if (omittedClasses.length === 0) return undefined;
  const listed = omittedClasses.map(({ name, volumeType }) => `${name} (volume type ${volumeType})`).join(', ');
  return `StorageClasses omitted because the cloud lacks their volume types: ${listed}; Fairway creates them once the cloud operator adds the types`;
}

/**
 * What the operator must fix in the classes of a plan, given the cloud's volume types; undefined if there is nothing to
 * fix. Pure.
 */
export function storageClassProblem(
  classes: readonly PlanStorageClass[],
  types: readonly Pick<VolumeType, 'id' | 'name'>[],
  plan: string,
): string | undefined {
  const isKnown = (type: string) => types.some(({ id, name }) => type === id || type === name);
  const misconfigurations = classes.flatMap(({ name, volumeType }) =>
    volumeType === undefined || isKnown(volumeType) ? [] : [`${volumeType} (used by StorageClass ${name})`],
  );
  if (misconfigurations.length === 0) return undefined;
  const names = types
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_NAMES);
  const offered = names.length === 0 ? 'none' : names.join(', ');
  return `the cloud has no volume type ${misconfigurations.join(', nor ')}; available: ${offered}. Other StorageClasses work; the operator must correct spec.storage.classes of plan "${plan}" or create the type`;
}
