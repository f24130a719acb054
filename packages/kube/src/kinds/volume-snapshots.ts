import type { KubeObject, ResourceType } from '../object/meta.ts';

/** Kinds in snapshot.storage.k8s.io/v1, which are custom resources in clusters: https://kubernetes.io/docs/concepts/storage/volume-snapshots */

export interface SnapshotError {
  message?: string;
  time?: string;
}

/** A user's request for a snapshot. */
export interface VolumeSnapshot extends KubeObject {
  spec: {
    /** Exactly one of these is set. */
    source: { persistentVolumeClaimName?: string; volumeSnapshotContentName?: string };
    volumeSnapshotClassName?: string;
  };
  status?: {
    boundVolumeSnapshotContentName?: string;
    creationTime?: string;
    readyToUse?: boolean;
    /** A quantity. */
    restoreSize?: string;
    error?: SnapshotError;
  };
}

/** A snapshot in the storage system. */
export interface VolumeSnapshotContent extends KubeObject {
  spec: {
    deletionPolicy: 'Delete' | 'Retain';
    driver: string;
    /** Exactly one of these is set: the volume to snapshot, or an existing snapshot. */
    source: { volumeHandle?: string; snapshotHandle?: string };
    sourceVolumeMode?: string;
    volumeSnapshotClassName?: string;
    volumeSnapshotRef: {
      apiVersion?: string;
      kind?: string;
      namespace: string;
      name: string;
      uid?: string;
      resourceVersion?: string;
    };
  };
  status?: {
    snapshotHandle?: string;
    /** Nanoseconds since 1970. */
    creationTime?: number;
    readyToUse?: boolean;
    /** Bytes. */
    restoreSize?: number;
    error?: SnapshotError;
  };
}

export interface VolumeSnapshotClass extends KubeObject {
  driver: string;
  deletionPolicy: 'Delete' | 'Retain';
  parameters?: Record<string, string>;
}

const GROUP = { group: 'snapshot.storage.k8s.io', version: 'v1' } as const;

export const VolumeSnapshots: ResourceType<VolumeSnapshot> = {
  ...GROUP,
  plural: 'volumesnapshots',
  kind: 'VolumeSnapshot',
  namespaced: true,
};

export const VolumeSnapshotContents: ResourceType<VolumeSnapshotContent> = {
  ...GROUP,
  plural: 'volumesnapshotcontents',
  kind: 'VolumeSnapshotContent',
  namespaced: false,
};

export const VolumeSnapshotClasses: ResourceType<VolumeSnapshotClass> = {
  ...GROUP,
  plural: 'volumesnapshotclasses',
  kind: 'VolumeSnapshotClass',
  namespaced: false,
};
