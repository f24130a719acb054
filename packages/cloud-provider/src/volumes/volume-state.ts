import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { DRIVER, driverOf, PROVISIONED_BY_ANNOTATION, VOLUME_FINALIZER } from './driver.ts';

/** The next step for a PersistentVolume of the driver. */
export type VolumeStep =
  | 'none'
  /** The volume must be deleted, then the PersistentVolume itself. */
  | 'delete'
  /** From now on, the volume must be retained, so the finalizer is removed. */
  | 'release'
  /** From now on, the PersistentVolume must remain until its volume is deleted, so the finalizer is added. */
  | 'protect';

/**
 * Decides as external-provisioner does, which honors the policy of PersistentVolumes that are deleted before their
 * claims (Kubernetes 1.33). Pure.
 */
export function stepFor(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
  driver: string = DRIVER,
): VolumeStep {
  const { metadata, spec } = volume;
  if (driverOf(volume) !== driver || metadata.annotations?.[PROVISIONED_BY_ANNOTATION] !== driver) return 'none';
  const isProtected = metadata.finalizers?.includes(VOLUME_FINALIZER) ?? false;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (spec.persistentVolumeReclaimPolicy !== 'Delete') return isProtected ? 'release' : 'none';
  if (isDeleting && !isProtected) return 'none';
  if (isReleased(volume, claim)) return 'delete';
  return isProtected || isDeleting ? 'none' : 'protect';
}

/**
 * Whether the claim no longer exists. A PersistentVolume that is being deleted is not always marked as released when
 * its claim is deleted.
 */
function isReleased(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): boolean {
  if (volume.status?.phase === 'Released') return true;
  const { claimRef } = volume.spec;
  return volume.metadata.deletionTimestamp !== undefined && claimRef?.uid !== claim?.metadata.uid;
}

/** Why Cinder would reject the volume's deletion now; undefined if Cinder would accept the request. Pure. */
export function deletionBlocker({ status, attachments }: Volume): string | undefined {
  if (attachments.length > 0) {
    const servers = attachments.map(({ server_id }) => server_id ?? 'another host').slice(0, 5);
    return `it is still attached to ${servers.join(', ')}`;
  }
  if (DELETABLE_STATUSES.has(status)) return undefined;
  if (status === 'error_deleting') {
    return 'Cinder failed to delete it: the cloud operator must reset its status';
  }
  return `its status in Cinder is ${status}`;
}

/** Statuses in https://opendev.org/openstack/cinder/src/branch/master/cinder/volume/api.py: `API.delete`. */
const DELETABLE_STATUSES: ReadonlySet<string> = new Set([
  'available',
  'error',
  'error_restoring',
  'error_extending',
  'error_managing',
]);
