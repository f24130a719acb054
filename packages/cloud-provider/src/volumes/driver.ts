import { CINDER_ZONE_LABEL } from '@fairway/api/domain/plan-storage';
import {
  CINDER_DRIVER,
  csiSourceOf,
  IN_TREE_CINDER,
  MANILA_DRIVER,
  NFS_MANILA_DRIVER,
} from '@fairway/kube/kinds/csi-source';
import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';

/** Name of the CSI driver, which is also the provisioner in StorageClasses; the same as cinder-csi-plugin's. */
export const DRIVER = CINDER_DRIVER;

/** Label on nodes, and key in the node affinity of volumes. Its value is the label form of a Nova zone's name. */
export const ZONE_KEY = CINDER_ZONE_LABEL;
/** Label in which the cloud node controller records the zone. */
export const NODE_ZONE_LABEL = 'topology.kubernetes.io/zone';

/**
 * Annotations that Kubernetes' volume controller sets on a claim for an external provisioner; the second is the
 * annotation's name before 1.23.
 */
export const PROVISIONER_ANNOTATION_NAMES = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
] as const;
/** Annotation in which the scheduler records the node of the first consumer. */
export const SELECTED_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
/** Annotation on PersistentVolumes that contains their provisioner. */
export const PROVISIONED_BY_ANNOTATION = 'pv.kubernetes.io/provisioned-by';
/** Finalizer that keeps a PersistentVolume until its volume is deleted. */
export const VOLUME_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

/**
 * Legacy provisioner names and the driver that serves each: the name of the in-tree plugin that the driver
 * replaces, and the name in upstream's chart for NFS shares.
 */
const LEGACY_PROVISIONERS: Readonly<Record<string, string>> = {
  [IN_TREE_CINDER]: DRIVER,
  [NFS_MANILA_DRIVER]: MANILA_DRIVER,
};

/** Whether the driver serves claims of a class with this provisioner. */
export function isServedBy(driver: string, provisioner: string | undefined): boolean {
  return provisioner !== undefined && (LEGACY_PROVISIONERS[provisioner] ?? provisioner) === driver;
}

/** The driver of a PersistentVolume: its CSI driver, or the provisioner that created it. */
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

/** The format of Cinder IDs. No volume can exist for a volumeHandle in a different format. */
export function isCinderId(handle: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(handle);
}
