import type { VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import { DRIVER } from '../volumes/driver.ts';
import { BEING_DELETED } from './snapshot-names.ts';

/** What is to be done about a VolumeSnapshotContent. */
export type ContentStep =
  | 'none'
  /** A snapshot is to be made. */
  | 'create'
  /** It has its snapshot. */
  | 'keep'
  /** It names a snapshot that is there already. */
  | 'adopt'
  /** Its snapshot is to go, and then itself. */
  | 'delete'
  /** It goes, and its snapshot stays. */
  | 'release';

/** As csi-snapshotter decides. `isClaimed`: whether the VolumeSnapshot that it is for is there. Pure. */
export function contentStep(content: VolumeSnapshotContent, isClaimed: boolean): ContentStep {
  const { metadata, spec, status } = content;
  if (spec.driver !== DRIVER) return 'none';
  if (metadata.deletionTimestamp !== undefined) {
    // Deleted while somebody has it, it waits for them.
    const isFree = !spec.volumeSnapshotRef.uid || metadata.annotations?.[BEING_DELETED] !== undefined || !isClaimed;
    if (!isFree) return 'none';
    return spec.deletionPolicy === 'Delete' ? 'delete' : 'release';
  }
  const { volumeHandle, snapshotHandle } = spec.source;
  if (Boolean(volumeHandle) === Boolean(snapshotHandle)) return 'none';
  if (snapshotHandle) return 'adopt';
  // Once there was one, another would be of another moment.
  return status?.snapshotHandle ? 'keep' : 'create';
}
