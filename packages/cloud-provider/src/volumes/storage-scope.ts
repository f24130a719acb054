import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { CloudProviderDependencies } from '../dependencies.ts';

/** A connected cluster and the project of its volumes. */
export interface StorageScope {
  readonly tenant: TenantCluster;
  readonly cluster: Cluster;
  readonly cloud: ProjectCloud;
}

/**
 * Undefined while the cluster must be left alone. `isSynced` returns whether everything that is needed has been listed.
 */
export function storageScope(
  { tenants, cache, clouds }: Pick<CloudProviderDependencies, 'cache' | 'clouds' | 'tenants'>,
  clusterUid: string,
  isSynced: (tenant: TenantCluster) => boolean,
): StorageScope | undefined {
  const tenant = tenants.get(clusterUid);
  const cluster = tenant && cache.clusters.get(tenant.clusterKey);
  if (tenant === undefined || cluster === undefined || identityOf(cluster) !== clusterUid) return undefined;
  if (isPaused(cluster) || cluster.metadata.deletionTimestamp !== undefined || !isSynced(tenant)) return undefined;
  const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
  return cloud && { tenant, cluster, cloud };
}
