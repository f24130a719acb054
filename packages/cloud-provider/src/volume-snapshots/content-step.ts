import type { VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import { DRIVER } from '../volumes/driver.ts';
import { BEING_DELETED_ANNOTATION } from './snapshot-names.ts';

/** The next step for a VolumeSnapshotContent. */
export type ContentStep =
  | 'none'
  /** A snapshot must be taken. */
  | 'create'
  /** Its snapshot exists. */
  | 'keep'
  /** It refers to an existing snapshot. */
  | 'adopt'
  /** Its snapshot must be deleted, then the content itself. */
  | 'delete'
  /** The content is being deleted, and its snapshot is retained. */
  | 'release';

/** Decides as csi-snapshotter does. `isReferenced`: whether the content's VolumeSnapshot exists. Pure. */
export function contentStep(content: VolumeSnapshotContent, isReferenced: boolean): ContentStep {
  const { metadata, spec, status } = content;
  if (spec.driver !== DRIVER) return 'none';
  if (metadata.deletionTimestamp !== undefined) {
    // A content that is deleted while in use waits until its VolumeSnapshot is deleted.
    const isFree =
      !spec.volumeSnapshotRef.uid || metadata.annotations?.[BEING_DELETED_ANNOTATION] !== undefined || !isReferenced;
    if (!isFree) return 'none';
    return spec.deletionPolicy === 'Delete' ? 'delete' : 'release';
  }
  const { volumeHandle, snapshotHandle } = spec.source;
  if (Boolean(volumeHandle) === Boolean(snapshotHandle)) return 'none';
  if (snapshotHandle) return 'adopt';
  // A new snapshot would capture a different point in time.
  return status?.snapshotHandle ? 'keep' : 'create';
}
