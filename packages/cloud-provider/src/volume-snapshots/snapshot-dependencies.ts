import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import type { VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { EventDeduplicator } from '../tenant-events.ts';
import type { ClusterConcurrencyLimit } from '../volumes/cluster-concurrency-limit.ts';
import type { StorageEvents } from '../volumes/storage-events.ts';
import type { StorageScope } from '../volumes/storage-scope.ts';
import type { StorageWatch } from '../volumes/storage-watch.ts';
import type { VolumeBuilds } from '../volumes/volume-builds.ts';
import type { TenantSnapshots } from './tenant-snapshots.ts';

export interface SnapshotDependencies
  extends Pick<CloudProviderDependencies, 'cache' | 'clouds' | 'conventions' | 'tenants' | 'attempts' | 'clock'> {
  readonly storageWatch: StorageWatch<VolumeSnapshot>;
  readonly builds: VolumeBuilds;
  readonly limiter: ClusterConcurrencyLimit;
  readonly events: StorageEvents;
  /** Limits how often errors are written to statuses, in case a second controller keeps overwriting them. */
  readonly recorded: EventDeduplicator;
}

/** A cluster with the snapshot kinds. */
export interface SnapshotScope extends StorageScope {
  readonly kinds: TenantSnapshots;
  /** The plan's limits of objects in the cluster. */
  readonly limits: InClusterLimits;
}
