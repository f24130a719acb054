import type { Cluster } from '@fairway/api/kinds/cluster';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { certificatesOfCluster } from '@fairway/tenancy/cloud/certificates';
import { hasLoadBalancers, loadBalancersOfCluster, loadBalancersOfSharer } from '@fairway/tenancy/cloud/load-balancers';
import { type ClusterOwner, isOwnedByCluster, serverGroupOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { deleteCloudResources, removeServers } from '../../cluster/network-deletion.ts';
import type { RemainingResources } from '../../cluster/remaining-resources.ts';
import { sharesToDelete } from '../../cluster/share-deletion.ts';
import { volumesOfCluster, volumesToDelete } from '../../cluster/volume-deletion.ts';

/** A resource that was found. */
export interface RemainingResource {
  readonly id: string;
  /** Its creation time according to the cloud; undefined for kinds without one. */
  readonly createdAt: string | undefined;
}

/** The resources found for a cluster, by OpenStack's name for their kind. */
export type FoundResources = ReadonlyMap<string, readonly RemainingResource[]>;

/**
 * All resources in the project with the cluster's tag, except retained volumes and shares, from lists requested
 * after `sinceMs`. Tags on resources in other projects prove nothing. Rejects with the error of any list that fails.
 */
export async function findRemainingResources(
  cloud: ProjectCloud,
  clusterUid: string,
  sinceMs: number = cloud.now(),
): Promise<FoundResources> {
  const { cache, client } = cloud;
  const projectID = await client.session.projectId();
  const owner = { projectID, clusterUid };
  const [servers, serverGroups, floatingIps, routers, networks, subnets, ports, securityGroups, stored, shares] =
    await Promise.all([
      cache.servers.refreshAfter(sinceMs),
      cache.serverGroups.refreshAfter(sinceMs),
      cache.floatingIps.refreshAfter(sinceMs),
      cache.routers.refreshAfter(sinceMs),
      cache.networks.refreshAfter(sinceMs),
      cache.subnets.refreshAfter(sinceMs),
      cache.ports.refreshAfter(sinceMs),
      cache.securityGroups.refreshAfter(sinceMs),
      volumesOfCluster(cloud, clusterUid, sinceMs),
      sharesToDelete(cloud, clusterUid, sinceMs),
    ]);
  const { volumes, snapshots } = volumesToDelete(stored);
  const isOwned = (item: Parameters<typeof isOwnedByCluster>[0]) => isOwnedByCluster(item, owner);
  return new Map(
    Object.entries({
      servers: serversOfCluster(servers, clusterUid).filter(({ tenant_id }) => tenant_id === projectID),
      'server groups': [...serverGroups.items.values()].filter(
        (group) => serverGroupOwner(group, projectID)?.clusterUid === clusterUid,
      ),
      'load balancers': await loadBalancersOf(cloud, owner, sinceMs),
      certificates: (await certificatesOfCluster(cloud, clusterUid, sinceMs)).map(({ secret }) => secret),
      'floating IPs': [...floatingIps.items.values()].filter(isOwned),
      routers: [...routers.items.values()].filter(isOwned),
      networks: [...networks.items.values()].filter(isOwned),
      subnets: [...subnets.items.values()].filter(isOwned),
      ports: [...ports.items.values()].filter(isOwned),
      'security groups': [...securityGroups.items.values()].filter(isOwned),
      snapshots,
      volumes,
      shares,
    })
      .map(([kind, items]): [string, RemainingResource[]] => [kind, items.map(remainingResourceOf)])
      .filter(([, found]) => found.length > 0),
  );
}

/** Nova and Barbican use `created`, the others `created_at`. */
function remainingResourceOf(item: {
  readonly id: string;
  readonly created?: string | null | undefined;
  readonly created_at?: string | null | undefined;
}): RemainingResource {
  return { id: item.id, createdAt: item.created ?? item.created_at ?? undefined };
}

async function loadBalancersOf(
  cloud: ProjectCloud,
  { projectID, clusterUid }: ClusterOwner,
  sinceMs: number,
): Promise<readonly LoadBalancer[]> {
  if (!(await hasLoadBalancers(cloud))) return [];
  const listed = await cloud.cache.loadBalancers.refreshAfter(sinceMs);
  // If others created a load balancer, only the cluster's parts of it are deleted.
  return [
    ...loadBalancersOfCluster(listed, projectID, clusterUid),
    ...loadBalancersOfSharer(listed, projectID, clusterUid),
  ];
}

/**
 * Deletes the resources found: servers with their ports and volumes first, then their groups and the network. Returns
 * what it must wait for; rejects with the cloud's error.
 */
export async function deleteRemainingResources(
  cloud: ProjectCloud,
  cluster: Cluster,
  remains: FoundResources,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<RemainingResources | undefined> {
  const { compute } = cloud.client;
  const { ledgers } = cloud;
  const servers = remains.get('servers') ?? [];
  await removeServers(cloud, servers, options);
  if (servers.length > 0) return { what: `${servers.length} servers` };
  for (const { id } of remains.get('server groups') ?? []) {
    await cloud.remove(ledgers.serverGroups, id, () => compute.serverGroups.delete(id, options));
  }
  for (const { id } of remains.get('ports') ?? []) {
    await cloud.remove(ledgers.ports, id, () => cloud.client.network.ports.delete(id, options));
  }
  return deleteCloudResources(cloud, cluster, options.signal);
}
