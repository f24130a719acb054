/** Names of external-snapshotter, as used by users' manifests and tools. */

/** On a VolumeSnapshot: volumes may be created from it. */
export const SOURCE_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection';
/** On a VolumeSnapshot: its content must be deleted first. */
export const BOUND_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
/** On a VolumeSnapshotContent: its snapshot must be deleted first. */
export const CONTENT_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';
/** On a PersistentVolumeClaim: a snapshot of it is being taken. */
export const CLAIM_FINALIZER = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';

/** On a VolumeSnapshotContent: its VolumeSnapshot is being deleted. */
export const BEING_DELETED_ANNOTATION = 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted';
/** On a VolumeSnapshotContent: a claim may use another volume mode than the source. */
export const ALLOW_MODE_CHANGE_ANNOTATION = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';
/** On a VolumeSnapshotClass. */
export const IS_DEFAULT_ANNOTATION = 'snapshot.storage.kubernetes.io/is-default-class';

/** Name of the VolumeSnapshotContent created for a VolumeSnapshot. */
export function contentNameOf(snapshotUid: string): string {
  return `snapcontent-${snapshotUid}`;
}

/** Display name of the snapshot in Cinder. */
export function cinderNameOf(snapshotUid: string): string {
  return `snapshot-${snapshotUid}`;
}
