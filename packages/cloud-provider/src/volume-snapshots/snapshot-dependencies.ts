import type { VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { ToldNews } from '../tenant-events.ts';
import type { AwaitedStorage } from '../volumes/awaited-storage.ts';
import type { ClusterTurns } from '../volumes/cluster-turns.ts';
import type { StorageEvents } from '../volumes/storage-events.ts';
import type { StoragePlace } from '../volumes/storage-place.ts';
import type { VolumeBuilds } from '../volumes/volume-builds.ts';
import type { TenantSnapshots } from './tenant-snapshots.ts';

export interface SnapshotDependencies
  extends Pick<CloudProviderDependencies, 'cache' | 'clouds' | 'tenants' | 'attempts' | 'clock'> {
  readonly awaited: AwaitedStorage<VolumeSnapshot>;
  readonly builds: VolumeBuilds;
  readonly turns: ClusterTurns;
  readonly events: StorageEvents;
  /** Errors in statuses: a second controller that writes others is not answered each time. */
  readonly told: ToldNews;
}

/** A cluster that has the kinds of snapshots. */
export interface SnapshotPlace extends StoragePlace {
  readonly kinds: TenantSnapshots;
}
