import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import { DRIVER } from '../../volumes/driver.ts';

const API = { apiVersion: 'snapshot.storage.k8s.io/v1' } as const;

/** A class of the driver. */
export function aSnapshotClass(
  fields: Partial<VolumeSnapshotClass> = {},
  metadata: VolumeSnapshotClass['metadata'] = {},
): VolumeSnapshotClass {
  return {
    ...API,
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'fast', ...metadata },
    driver: DRIVER,
    deletionPolicy: 'Delete',
    ...fields,
  };
}

/** A tenant's snapshot of the claim `data`. */
export function aSnapshot(
  spec: Partial<VolumeSnapshot['spec']> = {},
  metadata: VolumeSnapshot['metadata'] = {},
): VolumeSnapshot {
  return {
    ...API,
    kind: 'VolumeSnapshot',
    metadata: { namespace: 'default', name: 'first', ...metadata },
    spec: { source: { persistentVolumeClaimName: 'data' }, volumeSnapshotClassName: 'fast', ...spec },
  };
}

/** A content for an existing snapshot, bound to the VolumeSnapshot `first`. */
export function aContent(
  spec: Partial<VolumeSnapshotContent['spec']> = {},
  { metadata, status }: Pick<Partial<VolumeSnapshotContent>, 'metadata' | 'status'> = {},
): VolumeSnapshotContent {
  return {
    ...API,
    kind: 'VolumeSnapshotContent',
    metadata: { name: 'kept', ...metadata },
    spec: {
      deletionPolicy: 'Retain',
      driver: DRIVER,
      source: { snapshotHandle: '22222222-2222-4222-8222-222222222222' },
      volumeSnapshotRef: { namespace: 'default', name: 'first' },
      ...spec,
    },
    ...(status && { status }),
  };
}
