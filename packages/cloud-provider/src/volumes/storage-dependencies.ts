import type { CloudProviderDependencies } from '../dependencies.ts';
import type { AwaitedStorage } from './awaited-storage.ts';
import type { ClusterTurns } from './cluster-turns.ts';
import type { StorageBackend, StoredData } from './storage-backend.ts';
import type { StorageEvents } from './storage-events.ts';
import type { VolumeBuilds } from './volume-builds.ts';

export interface StorageDependencies<T extends StoredData>
  extends Pick<CloudProviderDependencies, 'cache' | 'conventions' | 'clouds' | 'tenants' | 'attempts' | 'clock'> {
  readonly backend: StorageBackend<T>;
  readonly awaited: AwaitedStorage<T>;
  readonly builds: VolumeBuilds;
  readonly turns: ClusterTurns;
  readonly events: StorageEvents;
}
