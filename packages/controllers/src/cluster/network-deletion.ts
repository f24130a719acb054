import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import { type ClusterOwner, isOwnedByCluster } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { hasOwnPorts } from '../machine/port.ts';
import { deleteCertificates } from './certificate-deletion.ts';
import type { Leftover } from './leftover.ts';
import { deleteLoadBalancers } from './load-balancer-deletion.ts';
import { listRouterPorts, observeNetwork } from './network-observation.ts';
import { deleteShares } from './share-deletion.ts';
import { deleteVolumes } from './volume-deletion.ts';

/**
 * Deletes what Fairway made for the cluster in its project, in the order that Neutron requires: floating IPs, attachments, routers, networks with
 * their subnets, security groups. The tenant's own resources stay. Neutron deletes synchronously, so an accepted call is final.
 */
export async function deleteCloudResources(
  cloud: ProjectCloud,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Leftover | undefined> {
  const options = { signal };
  const owner = await ownerOf(cloud, cluster);
  const servers = await deleteWhatRan(cloud, cluster, signal);
  if (servers) return servers;
  const { network } = cloud.client;
  const { ledgers } = cloud;
  const { owned } = await observeNetwork(cloud, cluster, cluster.spec.network);
  for (const { id } of owned.routers) await detachOwnRouter(cloud, id, options);
  for (const { id } of owned.routers)
    await cloud.remove(ledgers.routers, id, () => network.routers.delete(id, options));
  for (const { id } of owned.networks) {
    if (owned.routers.length === 0) await detachAll(cloud, { network_id: id }, options);
    await cloud.remove(ledgers.networks, id, () => network.networks.delete(id, options));
  }
  for (const { id } of owned.securityGroups) {
    await cloud.remove(ledgers.securityGroups, id, () => network.securityGroups.delete(id, options));
  }
  const waitMs = cloud.trustedFromMs - cloud.now();
  if (waitMs > 0) return { what: 'requests of an interrupted run to take effect', retryAfterMs: waitMs };
  return (await hasLateArrivals(cloud, cluster, owner))
    ? { what: 'network resources that appeared late', retryAfterMs: 0 }
    : undefined;
}

/**
 * Deletes what ran in the cluster, by ownership marks: its servers, load balancers with their certificates, floating IPs, ports and the volumes and shares that nobody retains. The network that it ran in stays. Returns what is left. For a cluster
 * without machines.
 */
export async function deleteWhatRan(
  cloud: ProjectCloud,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Leftover | undefined> {
  const options = { signal };
  const owner = await ownerOf(cloud, cluster);
  const servers = await deleteStrayServers(cloud, owner.clusterUid, options);
  if (servers) return servers;
  const balancing = await deleteLoadBalancers(cloud, owner, options);
  if (balancing) return balancing;
  const certificates = await deleteCertificates(cloud, owner.clusterUid, options);
  if (certificates) return certificates;
  await deleteFloatingIps(cloud, owner, options);
  if (hasOwnPorts(cluster)) await deletePorts(cloud, owner, options);
  const volumes = await deleteVolumes(cloud, owner.clusterUid, options);
  const shares = await deleteShares(cloud, owner.clusterUid, options);
  return volumes ?? shares;
}

async function ownerOf(cloud: ProjectCloud, cluster: Cluster): Promise<ClusterOwner> {
  return { projectID: await cloud.client.session.projectId(), clusterUid: identityOf(cluster) };
}

/** How old the list of servers may be while none is known to be left. */
const SERVERS_MAX_AGE_MS = 60_000;
/** A server may take its time to go, or hang. */
const LOOK_AGAIN_MS = 5_000;

/** Servers with the cluster's mark but without a Machine: left by a create that was assumed lost. */
async function deleteStrayServers(
  cloud: ProjectCloud,
  clusterUid: string,
  options: CallOptions,
): Promise<Leftover | undefined> {
  const { cache, client, ledgers } = cloud;
  // Nothing else has the list made: it rests in a project whose clusters have no machines.
  const isKnown = serversOfCluster(cache.servers.snapshot(), clusterUid).length > 0;
  const maxAgeMs = isKnown ? LOOK_AGAIN_MS : SERVERS_MAX_AGE_MS;
  const snapshot = await cache.servers.refreshAfter(cloud.completeFromMs(ledgers.servers, maxAgeMs));
  const stray = serversOfCluster(snapshot, clusterUid);
  const { servers } = client.compute;
  const listedAtMs = snapshot.listedAtMs ?? 0;
  const asked = stray.filter(({ id }) => !ledgers.servers.isDeleting(id, listedAtMs));
  await Promise.all(asked.map(({ id }) => cloud.remove(ledgers.servers, id, () => servers.delete(id, options))));
  return stray.length === 0 ? undefined : { what: `${stray.length} servers`, retryAfterMs: LOOK_AGAIN_MS };
}

async function deleteFloatingIps(cloud: ProjectCloud, owner: ClusterOwner, options: CallOptions): Promise<void> {
  const fromMs = cloud.completeFromMs(cloud.ledgers.floatingIps, 60_000);
  const listed = await cloud.cache.floatingIps.refreshAfter(fromMs);
  const { floatingIps } = cloud.client.network;
  for (const floatingIp of listed.items.values()) {
    if (!isOwnedByCluster(floatingIp, owner)) continue;
    await cloud.remove(cloud.ledgers.floatingIps, floatingIp.id, () => floatingIps.delete(floatingIp.id, options));
  }
}

/** Ports of machines, in a network of the tenant's; those in Fairway's own network are Nova's. */
export async function deletePorts(cloud: ProjectCloud, owner: ClusterOwner, options: CallOptions): Promise<void> {
  const listed = await cloud.cache.ports.refreshAfter(cloud.completeFromMs(cloud.ledgers.ports, 60_000));
  const { ports } = cloud.client.network;
  for (const port of listed.items.values()) {
    if (!isOwnedByCluster(port, owner)) continue;
    await cloud.remove(cloud.ledgers.ports, port.id, () => ports.delete(port.id, options));
  }
}

/** Neutron's words for a router that its own routes keep where it is. */
const KEPT_BY_ROUTES = /required by one or more routes/;

/** Detaches a router of Fairway's making, which goes, with whatever routes it has. */
export async function detachOwnRouter(cloud: ProjectCloud, id: string, options: CallOptions): Promise<void> {
  try {
    await detachAll(cloud, { device_id: id }, options);
  } catch (error) {
    if (!isOpenStackError(error, 'conflict') || !KEPT_BY_ROUTES.test(error.detail)) throw error;
    await cloud.client.network.routers.update(id, { routes: [] }, options);
    await detachAll(cloud, { device_id: id }, options);
  }
}

/** Detaches routers from subnets; Neutron requires it before deleting either. */
export async function detachAll(
  cloud: ProjectCloud,
  filter: { device_id: string } | { network_id: string },
  options: CallOptions,
): Promise<void> {
  const { routers } = cloud.client.network;
  for (const { id, device_id: routerID, network_id } of await listRouterPorts(cloud, filter)) {
    cloud.attachments.forget(network_id, cloud.now());
    await ignoreNotFound(routers.removeInterface(routerID, { port_id: id }, options));
  }
}

/** After an interrupted run: whether a list that began after the settle time shows resources of the cluster. */
async function hasLateArrivals(cloud: ProjectCloud, cluster: Cluster, owner: ClusterOwner): Promise<boolean> {
  const { networks, routers, securityGroups, floatingIps, ports } = cloud.cache;
  const { ledgers, trustedFromMs } = cloud;
  const lists = [
    { cache: networks, ledger: ledgers.networks },
    { cache: routers, ledger: ledgers.routers },
    { cache: securityGroups, ledger: ledgers.securityGroups },
    { cache: floatingIps, ledger: ledgers.floatingIps },
    ...(hasOwnPorts(cluster) ? [{ cache: ports, ledger: ledgers.ports }] : []),
  ] as const;
  for (const { cache, ledger } of lists) {
    const snapshot = await cache.refreshAfter(Math.max(trustedFromMs, ledger.lastMadeMs));
    for (const item of snapshot.items.values()) {
      if (isOwnedByCluster(item, owner) && !ledger.isDeleting(item.id, snapshot.listedAtMs ?? 0)) return true;
    }
  }
  return false;
}
