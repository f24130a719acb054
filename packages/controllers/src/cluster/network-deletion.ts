import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import { type ClusterOwner, isOwnedByCluster } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { removeServer } from '@fairway/tenancy/cloud/server-removal';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import type { Problem } from '@fairway/tenancy/problem';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { busyServerProblem, refusedServerProblem } from '../machine/server-holds.ts';
import { deleteCertificates } from './certificate-deletion.ts';
import { deleteLoadBalancers } from './load-balancer-deletion.ts';
import { holdOfNetwork, holdOfRouter, holdOfSecurityGroup } from './network-holds.ts';
import { listRouterPorts, observeNetwork } from './network-observation.ts';
import {
  type DeletionOptions,
  displayNames,
  isLate,
  joinHeld,
  type RemainingResources,
  removeEach,
} from './remaining-resources.ts';
import { deleteShares } from './share-deletion.ts';
import { deleteVolumes } from './volume-deletion.ts';

/**
 * Deletes what Fairway created for the cluster in its project, in the order that Neutron requires: floating IPs, attachments, routers,
 * networks with their subnets, security groups. The tenant's own resources are retained. Neutron deletes synchronously, so an accepted call
 * is final.
 */
export async function deleteCloudResources(
  cloud: ProjectCloud,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<RemainingResources | undefined> {
  const options = optionsOf(cloud, cluster, signal);
  const owner = await ownerOf(cloud, cluster);
  const servers = await deleteWorkloadResources(cloud, cluster, signal);
  if (servers) return servers;
  const { network } = cloud.client;
  const { ledgers } = cloud;
  const { owned } = await observeNetwork(cloud, cluster, cluster.spec.network);
  const routers = await removeEach(
    owned.routers,
    async ({ id }) => {
      await detachClusterRouter(cloud, id, options);
      await cloud.remove(ledgers.routers, id, () => network.routers.delete(id, options));
    },
    (router, refusal) => holdOfRouter(cloud, router, refusal, options),
  );
  // A remaining router still has an interface in the network.
  if (routers) return { what: 'routers', held: routers };
  const networks = await removeEach(
    owned.networks,
    async ({ id }) => {
      if (owned.routers.length === 0) await detachAll(cloud, { network_id: id }, options);
      await cloud.remove(ledgers.networks, id, () => network.networks.delete(id, options));
    },
    (each, refusal) => holdOfNetwork(cloud, each, refusal, options),
  );
  const groups = await removeEach(
    owned.securityGroups,
    ({ id }) => cloud.remove(ledgers.securityGroups, id, () => network.securityGroups.delete(id, options)),
    (group, refusal) => holdOfSecurityGroup(cloud, group, refusal, options),
  );
  const held = joinHeld([networks, groups]);
  if (held) return { what: 'the network', held };
  const waitMs = cloud.trustedFromMs - cloud.now();
  if (waitMs > 0) return { what: 'requests from an interrupted run to take effect', retryAfterMs: waitMs };
  return (await hasNewResources(cloud, cluster, owner))
    ? { what: 'network resources that appeared late', retryAfterMs: 0 }
    : undefined;
}

/**
 * Deletes the cluster's workload resources, by ownership tags: its servers, load balancers with their certificates,
 * floating IPs, ports, and the volumes and shares without a Retain policy. The network is retained. Returns what
 * remains. Only for clusters without machines.
 */
export async function deleteWorkloadResources(
  cloud: ProjectCloud,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<RemainingResources | undefined> {
  const options = optionsOf(cloud, cluster, signal);
  const owner = await ownerOf(cloud, cluster);
  const servers = await deleteStrayServers(cloud, owner.clusterUid, options);
  if (servers) return servers;
  const loadBalancerResult = await deleteLoadBalancers(cloud, owner, options);
  if (loadBalancerResult) return loadBalancerResult;
  const certificates = await deleteCertificates(cloud, owner.clusterUid, options);
  if (certificates) return certificates;
  await deleteFloatingIps(cloud, owner, options);
  await deletePorts(cloud, owner, options);
  const volumes = await deleteVolumes(cloud, owner.clusterUid, options);
  const shares = await deleteShares(cloud, owner.clusterUid, options);
  return volumes ? { ...volumes, held: joinHeld([volumes.held, shares?.held]) } : shares;
}

async function ownerOf(cloud: ProjectCloud, cluster: Cluster): Promise<ClusterOwner> {
  return { projectID: await cloud.client.session.projectId(), clusterUid: identityOf(cluster) };
}

function optionsOf(cloud: ProjectCloud, { metadata }: Cluster, signal: AbortSignal): DeletionOptions {
  return { signal, isLate: isLate(metadata.deletionTimestamp, cloud.now()) };
}

/** Maximum age of the list of servers while no remaining server is known. */
const SERVERS_MAX_AGE_MS = 60_000;
/** A server may be slow to delete, or stuck. */
const RESYNC_INTERVAL_MS = 5_000;

/** Servers with the cluster's tag but without a Machine, from a create request that was assumed lost. */
async function deleteStrayServers(
  cloud: ProjectCloud,
  clusterUid: string,
  options: DeletionOptions,
): Promise<RemainingResources | undefined> {
  const { cache, ledgers } = cloud;
  // Nothing else refreshes the list: polling is off in a project whose clusters have no machines.
  const isKnown = serversOfCluster(cache.servers.snapshot(), clusterUid).length > 0;
  const maxAgeMs = isKnown ? RESYNC_INTERVAL_MS : SERVERS_MAX_AGE_MS;
  const snapshot = await cache.servers.refreshAfter(cloud.completeFromMs(ledgers.servers, maxAgeMs));
  const stray = serversOfCluster(snapshot, clusterUid);
  const listedAtMs = snapshot.listedAtMs ?? 0;
  const requested = stray.filter(({ id }) => !ledgers.servers.isDeleting(id, listedAtMs));
  if (stray.length === 0) return undefined;
  const kept: (Problem | undefined)[] = [];
  const refused = await removeEach(
    requested,
    async ({ id }) => {
      kept.push(await removeServer(cloud, id, options));
    },
    refusedServerProblem,
  );
  const slow = options.isLate ? joinHeld(stray.map(busyServerProblem)) : undefined;
  const held = refused ?? joinHeld(kept) ?? slow;
  return { what: displayNames('server', stray), retryAfterMs: RESYNC_INTERVAL_MS, held };
}

/** Deletes servers without a Machine. Rejects with a ProblemError if Nova keeps one that it reports as deleted. */
export async function removeServers(
  cloud: ProjectCloud,
  servers: readonly { readonly id: string }[],
  options: CallOptions,
): Promise<void> {
  const kept = joinHeld(await Promise.all(servers.map(({ id }) => removeServer(cloud, id, options))));
  if (kept) throw new ProblemError(kept);
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

/** Ports of machines in the tenant's networks; Nova owns those in Fairway's network. */
export async function deletePorts(cloud: ProjectCloud, owner: ClusterOwner, options: CallOptions): Promise<void> {
  const listed = await cloud.cache.ports.refreshAfter(cloud.completeFromMs(cloud.ledgers.ports, 60_000));
  const { ports } = cloud.client.network;
  for (const port of listed.items.values()) {
    if (!isOwnedByCluster(port, owner)) continue;
    await cloud.remove(cloud.ledgers.ports, port.id, () => ports.delete(port.id, options));
  }
}

/** Neutron's message for a router that its own routes block. */
const BLOCKED_BY_ROUTES = /required by one or more routes/;

/** Detaches a router created by Fairway, which is being deleted, together with its routes. */
export async function detachClusterRouter(cloud: ProjectCloud, id: string, options: CallOptions): Promise<void> {
  try {
    await detachAll(cloud, { device_id: id }, options);
  } catch (error) {
    if (!isOpenStackError(error, 'conflict') || !BLOCKED_BY_ROUTES.test(error.detail)) throw error;
    await cloud.client.network.routers.update(id, { routes: [] }, options);
    await detachAll(cloud, { device_id: id }, options);
  }
}

/** Detaches routers from subnets; Neutron requires this before either can be deleted. */
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

/**
 * After an interrupted run: whether a list requested after the settling time contains any of the cluster's resources.
 */
async function hasNewResources(cloud: ProjectCloud, cluster: Cluster, owner: ClusterOwner): Promise<boolean> {
  const { networks, routers, securityGroups, floatingIps, ports } = cloud.cache;
  const { ledgers, trustedFromMs } = cloud;
  const lists = [
    { cache: networks, ledger: ledgers.networks },
    { cache: routers, ledger: ledgers.routers },
    { cache: securityGroups, ledger: ledgers.securityGroups },
    { cache: floatingIps, ledger: ledgers.floatingIps },
    { cache: ports, ledger: ledgers.ports },
  ] as const;
  for (const { cache, ledger } of lists) {
    const snapshot = await cache.refreshAfter(Math.max(trustedFromMs, ledger.lastWrittenMs));
    for (const item of snapshot.items.values()) {
      if (isOwnedByCluster(item, owner) && !ledger.isDeleting(item.id, snapshot.listedAtMs ?? 0)) return true;
    }
  }
  return false;
}
