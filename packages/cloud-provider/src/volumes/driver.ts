import { CINDER_DRIVER } from '@fairway/api/domain/plan-storage';
import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';

/** Name of the CSI driver, and of the provisioner in StorageClasses: the one of cinder-csi-plugin. */
export const DRIVER = CINDER_DRIVER;

/** Label of nodes, and key in the node affinity of volumes: an availability zone of Nova. */
export const ZONE_KEY = 'topology.cinder.csi.openstack.org/zone';
/** What the cloud's node controller writes of the same. */
export const NODE_ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Set by Kubernetes' volume binder on a claim that an external provisioner serves, and its name before 1.23. */
export const PROVISIONER_ANNOTATIONS = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
] as const;
/** Set by the scheduler: the node of the first consumer. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** On volumes: their provisioner. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** Keeps a PersistentVolume until its volume is deleted. */
export const VOLUME_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

/** Whose a PersistentVolume is: that of its CSI driver, or of the provisioner that wrote it. */
export function driverOf({ metadata, spec }: PersistentVolume): string | undefined {
  return spec.csi?.driver ?? metadata.annotations?.[PROVISIONED_BY];
}

/** Whether Kubernetes has asked a provisioner to serve the claim. */
export function isAskedOf(driver: string, { metadata }: PersistentVolumeClaim): boolean {
  return PROVISIONER_ANNOTATIONS.some((name) => metadata.annotations?.[name] === driver);
}

/** Cinder's ids; anything else in a volumeHandle names nothing that can exist. */
export function isCinderId(handle: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(handle);
}
