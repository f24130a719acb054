/** Names defined by external-snapshotter, which users' manifests and tools contain. */

/** Set on a VolumeSnapshot while volumes may be created from it. */
export const SOURCE_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection';
/** Set on a VolumeSnapshot whose content must be deleted first. */
export const BOUND_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
/** Set on a VolumeSnapshotContent whose snapshot must be deleted first. */
export const CONTENT_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';
/** Set on a PersistentVolumeClaim while a snapshot of it is being taken. */
export const CLAIM_FINALIZER = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';

/** Set on a VolumeSnapshotContent whose VolumeSnapshot is being deleted. */
export const BEING_DELETED_ANNOTATION = 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted';
/** Set on a VolumeSnapshotContent if claims may use a volume mode that differs from the source's. */
export const ALLOW_MODE_CHANGE_ANNOTATION = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';
/** Set on the default VolumeSnapshotClass. */
export const IS_DEFAULT_ANNOTATION = 'snapshot.storage.kubernetes.io/is-default-class';

/** Name of the VolumeSnapshotContent created for a VolumeSnapshot. */
export function contentNameOf(snapshotUid: string): string {
  return `snapcontent-${snapshotUid}`;
}

/** Display name that the snapshot has in Cinder. */
export function cinderNameOf(snapshotUid: string): string {
  return `snapshot-${snapshotUid}`;
}
