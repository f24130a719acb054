import { CINDER_ZONE_LABEL } from '@fairway/api/domain/plan-storage';
import { CINDER_DRIVER, csiSourceOf, IN_TREE_CINDER } from '@fairway/kube/kinds/csi-source';
import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';

/** Name of the CSI driver and of the provisioner in StorageClasses: that of cinder-csi-plugin. */
export const DRIVER = CINDER_DRIVER;

/** Label of nodes and key in the node affinity of volumes, whose value is the label of a Nova zone. */
export const ZONE_KEY = CINDER_ZONE_LABEL;
/** The cloud node controller's label for the zone. */
export const NODE_ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Set by Kubernetes' volume controller on a claim for an external provisioner; the second is its name before 1.23. */
export const PROVISIONER_ANNOTATION_NAMES = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
] as const;
/** Set by the scheduler: the node of the first consumer. */
export const SELECTED_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
/** On volumes: their provisioner. */
export const PROVISIONED_BY_ANNOTATION = 'pv.kubernetes.io/provisioned-by';
/** Keeps a PersistentVolume until its volume is deleted. */
export const VOLUME_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

/**
 * Other provisioner names that a driver serves: that of the in-tree plugin that it replaces, and that of upstream's
 * chart for NFS shares.
 */
const LEGACY_PROVISIONERS: Readonly<Record<string, string>> = {
  [IN_TREE_CINDER]: DRIVER,
  'nfs.manila.csi.openstack.org': 'manila.csi.openstack.org',
};

/** Whether the driver serves claims of a class with this provisioner. */
export function isServedBy(driver: string, provisioner: string | undefined): boolean {
  return provisioner !== undefined && (LEGACY_PROVISIONERS[provisioner] ?? provisioner) === driver;
}

/** The driver of a PersistentVolume: its CSI driver, or the provisioner that wrote it. */
export function driverOf(volume: PersistentVolume): string | undefined {
  return csiSourceOf(volume)?.driver ?? volume.metadata.annotations?.[PROVISIONED_BY_ANNOTATION];
}

/** The Cinder volume ID; undefined for volumes of other drivers. */
export function cinderIdOf(volume: PersistentVolume): string | undefined {
  const source = csiSourceOf(volume);
  return source?.driver === DRIVER ? source.volumeHandle : undefined;
}

/** Whether Kubernetes has requested provisioning of the claim. */
export function isRequestedFrom(driver: string, { metadata }: PersistentVolumeClaim): boolean {
  return PROVISIONER_ANNOTATION_NAMES.some((name) => isServedBy(driver, metadata.annotations?.[name]));
}

/** Format of Cinder IDs; other volumeHandles cannot exist. */
export function isCinderId(handle: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(handle);
}
