import { CINDER_DRIVER } from '@fairway/kube/kinds/csi-source';
import type { PlanSpec } from '../kinds/plan.ts';
import type { PlanStorageClass } from '../kinds/plan-storage.ts';
import { isFeatureAllowed } from '../limits/features.ts';

/** Topology key for zones: the label that the driver sets on nodes, and the key in its volumes' node affinity. */
export const CINDER_ZONE_LABEL = `topology.${CINDER_DRIVER}/zone`;

/** A storage class of a plan, as it should exist in a cluster. */
export interface OfferedClass extends PlanStorageClass {
  /** Whether the cloud's volume types are unknown. If so, the default class and the optional classes stay unchanged. */
  readonly isUndecided?: boolean;
}

/** A plan's storage settings, with defaults. */
export interface StorageLimits {
  readonly classes: readonly OfferedClass[];
  /** Access modes that volumes may use; undefined if all are allowed. */
  readonly accessModes: readonly string[] | undefined;
  /** Whether volumes are provisioned for tenants' own classes. */
  readonly areTenantClassesAllowed: boolean;
  /** Whether clusters can use shares of Manila. */
  readonly areSharesAllowed: boolean;
}

/** For clusters whose plan specifies no classes. */
const DEFAULT_CLASSES: readonly PlanStorageClass[] = [
  {
    name: 'default',
    default: true,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
    fsType: 'ext4',
  },
];

/** Storage settings for a plan's clusters. Pure. */
export function storageLimits(plan: Pick<PlanSpec, 'storage'> & Parameters<typeof isFeatureAllowed>[0]): StorageLimits {
  const { storage } = plan;
  return {
    classes: storage?.classes ?? DEFAULT_CLASSES,
    accessModes: storage?.accessModes,
    areTenantClassesAllowed: storage?.tenantClasses !== 'Refused',
    areSharesAllowed: isFeatureAllowed(plan, 'Shares'),
  };
}

/** A plan's storage classes in one cloud. */
export interface ClassOffer {
  readonly classes: readonly OfferedClass[];
  /** Optional classes whose volume type the cloud lacks. */
  readonly excludedClasses: readonly PlanStorageClass[];
}

/** The plan's classes that a cloud with these volume types supports; `types` is undefined if unknown. Pure. */
export function offeredClasses(
  classes: readonly PlanStorageClass[],
  types: readonly { readonly id: string; readonly name: string }[] | undefined,
): ClassOffer {
  if (types === undefined) {
    const isUndecided = classes.some(isOptional);
    return {
      classes: isUndecided ? classes.map((each) => ({ ...each, isUndecided })) : classes,
      excludedClasses: [],
    };
  }
  const exists = (type: string) => types.some(({ id, name }) => type === id || type === name);
  const excludedClasses = classes.filter((each) => isOptional(each) && !exists(each.volumeType ?? ''));
  const rest = classes.filter((each) => !excludedClasses.includes(each));
  const isDefaultExcluded = excludedClasses.some((each) => each.default);
  return {
    classes: rest.map((each, at) => (isDefaultExcluded && at === 0 ? { ...each, default: true } : each)),
    excludedClasses,
  };
}

/** Whether the class may be missing in clusters. */
export function isOptional({ optional, volumeType }: PlanStorageClass): boolean {
  return optional === true && volumeType !== undefined;
}

/** The parameters of a class, named as in cinder-csi-plugin and external-provisioner. Pure. */
export function classParameters({ volumeType, fsType }: PlanStorageClass): Readonly<Record<string, string>> {
  return { ...(volumeType !== undefined && { type: volumeType }), 'csi.storage.k8s.io/fstype': fsType };
}

/** What to use instead of an access mode that the plan does not allow. Pure. */
export function accessModeAlternatives(
  mode: string,
  { accessModes = [], areSharesAllowed }: Pick<StorageLimits, 'accessModes' | 'areSharesAllowed'>,
): string {
  const isForMany = mode === 'ReadWriteMany' || mode === 'ReadOnlyMany';
  return `use ${accessModes.join(' or ')}${isForMany && areSharesAllowed ? ', or a StorageClass for shares' : ''}`;
}

/** What to use instead of a tenant's own class. Pure. */
export function storageClassAlternatives(classes: readonly Pick<PlanStorageClass, 'name'>[]): string {
  return classes.length === 0 ? 'it has none' : `use ${classes.map(({ name }) => name).join(', ')}`;
}
