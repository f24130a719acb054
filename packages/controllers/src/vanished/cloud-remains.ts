import type { Cluster } from '@fairway/api/kinds/cluster';
import type { CallOptions } from '@fairway/openstack/service-api';
import { isOwnedByCluster, serverGroupOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { deleteCloudResources, type Leftover } from '../cluster/network-deletion.ts';

/** What was found of a cluster: ids of resources by their kind, as OpenStack names it. */
export type Remains = ReadonlyMap<string, readonly string[]>;

/** Everything in the project that carries the mark of the cluster. What is another project's is nobody's proof. */
export async function findRemains(cloud: ProjectCloud, clusterUid: string): Promise<Remains> {
  const { cache, client } = cloud;
  const projectID = await client.session.projectId();
  const owner = { projectID, clusterUid };
  const nowMs = cloud.now();
  const [servers, serverGroups, floatingIps, routers, networks, subnets, ports, securityGroups] = await Promise.all([
    cache.servers.refreshAfter(nowMs),
    cache.serverGroups.refreshAfter(nowMs),
    cache.floatingIps.refreshAfter(nowMs),
    cache.routers.refreshAfter(nowMs),
    cache.networks.refreshAfter(nowMs),
    cache.subnets.refreshAfter(nowMs),
    cache.ports.refreshAfter(nowMs),
    cache.securityGroups.refreshAfter(nowMs),
  ]);
  const isOwned = (item: Parameters<typeof isOwnedByCluster>[0]) => isOwnedByCluster(item, owner);
  return new Map(
    Object.entries({
      servers: serversOfCluster(servers, clusterUid).filter(({ tenant_id }) => tenant_id === projectID),
      'server groups': [...serverGroups.items.values()].filter(
        (group) => serverGroupOwner(group, projectID)?.clusterUid === clusterUid,
      ),
      'floating IPs': [...floatingIps.items.values()].filter(isOwned),
      routers: [...routers.items.values()].filter(isOwned),
      networks: [...networks.items.values()].filter(isOwned),
      subnets: [...subnets.items.values()].filter(isOwned),
      ports: [...ports.items.values()].filter(isOwned),
      'security groups': [...securityGroups.items.values()].filter(isOwned),
    })
      .map(([kind, items]): [string, string[]] => [kind, items.map(({ id }) => id)])
      .filter(([, ids]) => ids.length > 0),
  );
}

/**
 * Deletes what was found: servers with their ports and volumes first, then their groups and the network. Returns what is still to be waited for;
 * rejects with the cloud's error.
 */
export async function deleteRemains(
  cloud: ProjectCloud,
  cluster: Cluster,
  remains: Remains,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<Leftover | undefined> {
  const { compute } = cloud.client;
  const { ledgers } = cloud;
  const servers = remains.get('servers') ?? [];
  await Promise.all(servers.map((id) => cloud.remove(ledgers.servers, id, () => compute.servers.delete(id, options))));
  if (servers.length > 0) return { what: `${servers.length} servers` };
  for (const id of remains.get('server groups') ?? []) {
    await cloud.remove(ledgers.serverGroups, id, () => compute.serverGroups.delete(id, options));
  }
  for (const id of remains.get('ports') ?? []) {
    await cloud.remove(ledgers.ports, id, () => cloud.client.network.ports.delete(id, options));
  }
  return deleteCloudResources(cloud, cluster, options.signal);
}
