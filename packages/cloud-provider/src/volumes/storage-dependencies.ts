import type { CloudProviderDependencies } from '../dependencies.ts';
import type { ClusterConcurrencyLimit } from './cluster-concurrency-limit.ts';
import type { StorageBackend, StoredObject } from './storage-backend.ts';
import type { StorageEvents } from './storage-events.ts';
import type { StorageWatch } from './storage-watch.ts';
import type { VolumeBuilds } from './volume-builds.ts';

export interface StorageDependencies<T extends StoredObject>
  extends Pick<CloudProviderDependencies, 'cache' | 'conventions' | 'clouds' | 'tenants' | 'attempts' | 'clock'> {
  readonly backend: StorageBackend<T>;
  readonly storageWatch: StorageWatch<T>;
  readonly builds: VolumeBuilds;
  readonly limiter: ClusterConcurrencyLimit;
  readonly events: StorageEvents;
}
