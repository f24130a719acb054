import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Volume } from '@fairway/openstack/types/block-storage';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
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

/** A connected cluster and the project that its volumes are in. */
export interface StoragePlace {
  readonly tenant: TenantCluster;
  readonly cluster: Cluster;
  readonly cloud: ProjectCloud;
}
