import type { PlanSpec } from '../kinds/plan.ts';
import type { PlanStorageClass } from '../kinds/plan-storage.ts';

/** Name of the CSI driver, and of the provisioner in StorageClasses: that of cinder-csi-plugin. */
export const CINDER_DRIVER = 'cinder.csi.openstack.org';

/** What a plan says of volumes, with defaults. */
export interface StorageLimits {
  readonly classes: readonly PlanStorageClass[];
  /** Access modes of volumes; undefined for all. */
  readonly accessModes: readonly string[] | undefined;
  /** Whether tenants' own classes count. */
  readonly areTenantClassesAllowed: boolean;
}

/** Of clusters whose plan does not say. */
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

/** What clusters of a plan have of volumes. Pure. */
export function storageLimits({ storage }: Pick<PlanSpec, 'storage'>): StorageLimits {
  return {
    classes: storage?.classes ?? DEFAULT_CLASSES,
    accessModes: storage?.accessModes,
    areTenantClassesAllowed: storage?.tenantClasses !== 'Refused',
  };
}

/** The parameters of a class, as cinder-csi-plugin and external-provisioner name them. Pure. */
export function classParameters({ volumeType, fsType }: PlanStorageClass): Readonly<Record<string, string>> {
  return { ...(volumeType !== undefined && { type: volumeType }), 'csi.storage.k8s.io/fstype': fsType };
}

/** What to use in place of an access mode that a plan does not allow. Pure. */
export function insteadOfMode(mode: string, allowed: readonly string[]): string {
  const shares = mode === 'ReadWriteMany' || mode === 'ReadOnlyMany' ? ', or a class of shares' : '';
  return `use ${allowed.join(' or ')}${shares}`;
}

/** What to use in place of a class of the tenant's own. Pure. */
export function insteadOfClass(classes: readonly Pick<PlanStorageClass, 'name'>[]): string {
  return classes.length === 0 ? 'it has none' : `use ${classes.map(({ name }) => name).join(', ')}`;
}
