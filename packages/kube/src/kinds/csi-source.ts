import type { PersistentVolume } from './generated/types.ts';

/** How a CSI driver identifies a volume. */
export interface CsiSource {
  readonly driver: string;
  readonly volumeHandle: string;
}

/**
 * Name of Cinder's CSI driver and of the provisioner of its StorageClasses, as in cinder-csi-plugin. Kubernetes removed
 * its in-tree Cinder plugin in 1.26, and this driver serves the volumes of that plugin.
 */
export const CINDER_DRIVER = 'cinder.csi.openstack.org';
/** Name of Manila's CSI driver and of the provisioner of its classes, as in manila-csi-plugin. */
export const MANILA_DRIVER = 'manila.csi.openstack.org';
/** The name of the same driver in manila-csi-plugin's Helm chart. */
export const NFS_MANILA_DRIVER = 'nfs.manila.csi.openstack.org';
/** The in-tree plugin's name as the provisioner of storage classes. */
export const IN_TREE_CINDER = 'kubernetes.io/cinder';

/** CSI source of a volume, including volumes of the in-tree plugin (k8s.io/csi-translation-lib); undefined for other volumes. */
export function csiSourceOf({ spec }: Pick<PersistentVolume, 'spec'>): CsiSource | undefined {
  if (spec.csi !== undefined) return spec.csi;
  return spec.cinder && { driver: CINDER_DRIVER, volumeHandle: spec.cinder.volumeID };
}
