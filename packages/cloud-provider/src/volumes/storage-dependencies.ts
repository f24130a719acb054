import type { Volume } from '@fairway/openstack/types/block-storage';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { AwaitedStorage } from './awaited-storage.ts';
import type { ClusterTurns } from './cluster-turns.ts';
import type { StorageEvents } from './storage-events.ts';
import type { VolumeBuilds } from './volume-builds.ts';

export interface StorageDependencies
  extends Pick<CloudProviderDependencies, 'cache' | 'clouds' | 'tenants' | 'attempts' | 'clock'> {
  readonly awaited: AwaitedStorage<Volume>;
  readonly builds: VolumeBuilds;
  readonly turns: ClusterTurns;
  readonly events: StorageEvents;
}
