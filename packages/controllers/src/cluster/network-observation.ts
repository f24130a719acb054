import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Port } from '@fairway/openstack/types/network';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import {
  type ClusterOwner,
  type DescribedObject,
  type NetworkRole,
  ownedBy,
  ownerDescription,
} from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import type { DesiredNetwork, ObservedNetwork } from './network-state.ts';

/** Maximum age of the lists from which changes by others are detected. */
const MAX_AGE_MS = 600_000;
/**
 * The maximum age if the network is as desired and every node reports. A little less than two of a cluster's resync
 * intervals, so that every second resync lists the cloud's resources.
 */
const MAX_AGE_SETTLED_MS = 1_190_000;

/**
 * Discards the shared lists, so that the next observation lists the cloud's resources again: a user has changed
 * something there and requests a retry.
 */
export function invalidateNetworkLists(cloud: ProjectCloud, networkID: string | undefined): void {
  for (const name of ['networks', 'subnets', 'routers', 'securityGroups'] as const) cloud.cache[name].invalidate();
  if (networkID !== undefined) cloud.attachments.forget(networkID, cloud.now());
}

/** The part of the desired network that determines which resources to read. */
export interface NetworkIdentity {
  readonly networkID?: string | undefined;
  readonly gateway: { readonly mode: DesiredNetwork['gateway']['mode'] };
}

/** Required freshness of the lists. */
export interface ObservationOptions {
  /** Whether everything desired existed at the last check. */
  readonly isSettled: boolean;
  /** The lists must have been requested after this time; any age by default. */
  readonly sinceMs?: number | undefined;
}

/** The project's resources for a cluster's network: shared lists, combined with resources created since then. */
export async function observeNetwork(
  cloud: ProjectCloud,
  cluster: Cluster,
  desired: NetworkIdentity,
  { isSettled, sinceMs = Number.NEGATIVE_INFINITY }: ObservationOptions = { isSettled: false },
): Promise<ObservedNetwork> {
  const maxAgeMs = isSettled ? MAX_AGE_SETTLED_MS : MAX_AGE_MS;
  const fromMs = <T extends { readonly id: string }>(ledger: Ledger<T>) =>
    Math.max(cloud.reliableFromMs(ledger, maxAgeMs), sinceMs);
  const owner = { projectID: await cloud.client.session.projectId(), clusterUid: identityOf(cluster) };
  const known = cluster.status?.network;
  const { cache, ledgers } = cloud;
  const [networks, subnets, routers, securityGroups] = await Promise.all([
    cache.networks.refreshAfter(fromMs(ledgers.networks)),
    cache.subnets.refreshAfter(fromMs(ledgers.subnets)),
    cache.routers.refreshAfter(fromMs(ledgers.routers)),
    cache.securityGroups.refreshAfter(fromMs(ledgers.securityGroups)),
  ]);
  const owned = {
    networks: ownResources(networks, ledgers.networks, owner, 'network', known?.networkID),
    subnets: ownResources(subnets, ledgers.subnets, owner, 'subnet', known?.subnetID),
    routers: ownResources(routers, ledgers.routers, owner, 'router', known?.routerID),
    securityGroups: ownResources(
      securityGroups,
      ledgers.securityGroups,
      owner,
      'node-security-group',
      known?.securityGroupID,
    ),
  };
  return {
    networks: [...networks.items.values()],
    subnets: [...subnets.items.values()],
    routers: [...new Map([...routers.items.values(), ...owned.routers].map((router) => [router.id, router])).values()],
    routerPorts: await routerPorts(cloud, desired, owned, Math.max(cloud.now() - maxAgeMs, sinceMs)),
    owned,
  };
}

/** The resources with the tag of this cluster and role: the one named in the status first, then by age. */
function ownResources<T extends DescribedObject & { readonly id: string; readonly created_at?: string | undefined }>(
  listed: Snapshot<T>,
  ledger: Ledger<T>,
  owner: ClusterOwner,
  role: NetworkRole,
  knownID: string | undefined,
): readonly T[] {
  const mark = ownerDescription(owner.clusterUid, role);
  const state = ledger.observe(mark, ownedBy([...listed.items.values()], owner, role), listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettlingError(role.replaceAll('-', ' '), state.untilMs);
  return state.items.toSorted((a, b) => Number(b.id === knownID) - Number(a.id === knownID));
}

/** Device owners of ports that attach a router: plain, highly available or distributed. */
const ROUTER_INTERFACE = /^network:(ha_)?router_(interface|replicated_interface|interface_distributed)/;

/** The ports between routers and the subnets of the nodes' network. */
async function routerPorts(
  cloud: ProjectCloud,
  desired: NetworkIdentity,
  owned: ObservedNetwork['owned'],
  sinceMs: number,
): Promise<readonly Port[]> {
  // Routers of a tenant's network belong to the tenant, except for one that Fairway created.
  if (desired.gateway.mode !== 'Router' && desired.networkID !== undefined) return [];
  const networkID = desired.networkID ?? owned.networks[0]?.id;
  if (networkID === undefined) return [];
  return cloud.attachments.of(networkID, Math.max(sinceMs, cloud.listedFromMs));
}

/** Queries the cloud for the router ports of one router or in one network. */
export async function listRouterPorts(
  cloud: ProjectCloud,
  filter: { device_id: string } | { network_id: string },
): Promise<readonly Port[]> {
  const ports: Port[] = [];
  for await (const port of cloud.client.network.ports.list(filter)) {
    if (ROUTER_INTERFACE.test(port.device_owner)) ports.push(port);
  }
  return ports;
}
