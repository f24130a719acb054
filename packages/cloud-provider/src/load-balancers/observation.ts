import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Listener, LoadBalancer, Pool } from '@fairway/openstack/types/load-balancer';
import type { FloatingIp } from '@fairway/openstack/types/network';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import { loadBalancersOfCluster, loadBalancersSharedBy, objectsOfOwner } from '@fairway/tenancy/cloud/load-balancers';
import {
  isOfProject,
  keptFloatingIpDescription,
  loadBalancerFloatingIpRole,
  ownerDescription,
  serviceOfDescription,
  serviceOwner,
} from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import type { FloatingIpMarks } from './floating-ip-plan.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { ObservedTree } from './plan.ts';
import { serviceKey } from './service-key.ts';
import type { ServiceScope } from './service-scope.ts';
import { servicesByUid, servicesOf, wantsLoadBalancer } from './tenant-services.ts';
import type { TreeMemory } from './tree-memory.ts';
import { withUnmarkedParts } from './unmarked-parts.ts';

/** Maximum age of the list of load balancers, which is refreshed every minute while any load balancers exist. */
const MAX_AGE_MS = 120_000;
/** Floating IPs change only on request. */
const FLOATING_IPS_MAX_AGE_MS = 600_000;

export interface ObservedLoadBalancers {
  /** Oldest first; several load balancers exist only after a create request that was assumed lost. */
  readonly present: readonly LoadBalancer[];
  /** Number of load balancers being deleted. */
  readonly deletingCount: number;
}

/** The owner's load balancers. Rejects with StillSettling while a create request may still take effect. */
export async function observeLoadBalancers({
  cloud,
  owner,
  key,
  projectID,
  signal,
}: LoadBalancerScope): Promise<ObservedLoadBalancers> {
  const ledger = cloud.ledgers.loadBalancers;
  const listed = await cloud.cache.loadBalancers.refreshAfter(cloud.reliableFromMs(ledger, MAX_AGE_MS), signal);
  const { items, deleting } = withPendingWrites(
    ledger,
    key,
    listed,
    objectsOfOwner(listed, projectID, owner),
    'load balancer',
  );
  const present = items.filter((each) => !isBeingDeleted(each));
  return { present, deletingCount: deleting.length + items.length - present.length };
}

/** Load balancers of other owners that a Service uses, from the last list. */
export function observeShared({ cloud, owner, projectID }: ServiceScope): readonly LoadBalancer[] {
  const listed = cloud.cache.loadBalancers.snapshot();
  return loadBalancersSharedBy(listed, projectID, owner).flatMap(
    (each) => observeHostedBy(cloud, hostKeyOf(each, projectID), each) ?? [],
  );
}

/** A listed load balancer with this process's later changes; undefined if the load balancer is being deleted. */
export function observeHostedBy(
  cloud: ProjectCloud,
  hostKey: string,
  loadBalancer: LoadBalancer,
): LoadBalancer | undefined {
  const ledger = cloud.ledgers.loadBalancers;
  const { items } = withPendingWrites(
    ledger,
    hostKey,
    cloud.cache.loadBalancers.snapshot(),
    [loadBalancer],
    'load balancer',
  );
  return items.find((each) => each.id === loadBalancer.id && !isBeingDeleted(each));
}

/**
 * The key under which this process stores a load balancer's state: the key of the Service that owns it, if there is
 * one.
 */
export function hostKeyOf(loadBalancer: LoadBalancer, projectID: string): string {
  const owner = serviceOwner(loadBalancer, projectID);
  return owner ? serviceKey(owner) : `nobody/${loadBalancer.id}`;
}

/** The cluster's listeners in a load balancer, regardless of their owner, from the last list. */
export function listenersOn({ cloud, owner, projectID }: LoadBalancerScope, { id }: LoadBalancer): readonly Listener[] {
  const listed = loadBalancersOfCluster(cloud.cache.listeners.snapshot(), projectID, owner.clusterUid);
  return listed.filter(({ loadbalancers }) => loadbalancers.some((each) => each.id === id));
}

function isBeingDeleted({ provisioning_status: state }: LoadBalancer): boolean {
  return state === 'PENDING_DELETE' || state === 'DELETED';
}

/**
 * The complete tree of the load balancer. Its parts are listed only if they may differ from the known state, for
 * example because a part was deleted while this process changed another.
 */
export async function observeTree(
  scope: LoadBalancerScope,
  loadBalancer: LoadBalancer,
  memory: TreeMemory,
): Promise<ObservedTree> {
  const tree = await readParts(scope, loadBalancer, memory);
  if (loadBalancer.provisioning_status !== 'ACTIVE') return tree;
  const childIDs = new Set([...loadBalancer.listeners, ...loadBalancer.pools].map(({ id }) => id));
  if ([...tree.listeners, ...tree.pools].every(({ id }) => childIDs.has(id))) return whole(scope, loadBalancer, tree);
  memory.invalidate(scope.key, scope.cloud.cache.loadBalancers.snapshot().listedAtMs ?? 0);
  return whole(scope, loadBalancer, await readParts(scope, loadBalancer, memory));
}

function whole(scope: LoadBalancerScope, loadBalancer: LoadBalancer, tree: ObservedTree): Promise<ObservedTree> {
  const known = new Set([...tree.listeners, ...listenersOn(scope, loadBalancer)].map(({ id }) => id));
  return withUnmarkedParts(scope, loadBalancer, tree, (id) => known.has(id));
}

async function readParts(
  scope: LoadBalancerScope,
  loadBalancer: LoadBalancer,
  memory: TreeMemory,
): Promise<ObservedTree> {
  const { cloud, key, owner, projectID, signal } = scope;
  const { cache, ledgers } = cloud;
  const { listedAtMs = 0 } = cache.loadBalancers.snapshot();
  const partsFromMs = memory.partsFromMs(key, loadBalancer, listedAtMs);
  const [listeners, pools, healthMonitors] = await Promise.all([
    partsFromMs === undefined ? cache.listeners.snapshot() : cache.listeners.refreshAfter(partsFromMs, signal),
    partsFromMs === undefined ? cache.pools.snapshot() : cache.pools.refreshAfter(partsFromMs, signal),
    partsFromMs === undefined
      ? cache.healthMonitors.snapshot()
      : cache.healthMonitors.refreshAfter(partsFromMs, signal),
  ]);
  const contains = ({ loadbalancers }: { readonly loadbalancers: readonly { readonly id: string }[] }) =>
    loadbalancers.some(({ id }) => id === loadBalancer.id);
  const members = memory.members(key);
  const monitors = withPendingWrites(
    ledgers.healthMonitors,
    key,
    healthMonitors,
    objectsOfOwner(healthMonitors, projectID, owner),
    'health monitor',
  ).items;
  const present = (pool: Pool): Pool => ({
    ...pool,
    members: [...(members.get(pool.id) ?? pool.members)].map(({ id }) => ({ id })),
    // Lists may show the monitor of a pool that is known only from a response without monitors.
    healthmonitor_id: monitors.find(({ pools }) => pools.some(({ id }) => id === pool.id))?.id ?? pool.healthmonitor_id,
  });
  return {
    loadBalancer,
    listeners: withPendingWrites(
      ledgers.listeners,
      key,
      listeners,
      objectsOfOwner(listeners, projectID, owner),
      'listener',
    ).items.filter(contains),
    pools: withPendingWrites(ledgers.pools, key, pools, objectsOfOwner(pools, projectID, owner), 'pool')
      .items.filter(contains)
      .map(present),
    monitors,
    members,
  };
}

export function floatingIpMarks({ owner, tenant }: Pick<LoadBalancerScope, 'owner' | 'tenant'>): FloatingIpMarks {
  const hasOwner = (serviceUid: string) => servicesOf(tenant).find(servicesByUid, serviceUid).some(wantsLoadBalancer);
  return {
    own: ownerDescription(owner.clusterUid, loadBalancerFloatingIpRole(owner)),
    kept: keptFloatingIpDescription(owner),
    isInherited({ description }) {
      const ownerText = serviceOfDescription(description);
      return ownerText?.clusterUid === owner.clusterUid && !hasOwner(ownerText.serviceUid);
    },
  };
}

/**
 * All floating IPs in the project. Rejects with StillSettling while a create request for the owner may still take
 * effect.
 */
export async function observeFloatingIps(scope: LoadBalancerScope): Promise<readonly FloatingIp[]> {
  const { cloud, projectID, signal } = scope;
  const { own, kept } = floatingIpMarks(scope);
  const ledger = cloud.ledgers.floatingIps;
  const fromMs = cloud.reliableFromMs(ledger, FLOATING_IPS_MAX_AGE_MS);
  const listed = await cloud.cache.floatingIps.refreshAfter(fromMs, signal);
  const all = [...listed.items.values()].filter((each) => isOfProject(each, projectID));
  const marked = all.filter(({ description }) => description === own || description === kept);
  const { items, deleting } = withPendingWrites(ledger, own, listed, marked, 'floating IP');
  const known = new Set([...items, ...deleting].map(({ id }) => id));
  const others = all.filter(({ id }) => !known.has(id) && !ledger.isDeleting(id, listed.listedAtMs ?? 0));
  return [...items, ...others];
}

/** Whether the owner has a floating IP: it outlives a load balancer that is being replaced, even if Fairway restarts. */
export async function hasFloatingIp(scope: LoadBalancerScope): Promise<boolean> {
  const { own } = floatingIpMarks(scope);
  return (await observeFloatingIps(scope)).some(({ description }) => description === own);
}

/** The list with this process's later changes. */
function withPendingWrites<T extends { readonly id: string }>(
  ledger: Ledger<T>,
  owner: string,
  { listedAtMs = 0 }: Snapshot<T>,
  own: readonly T[],
  what: string,
): { readonly items: readonly T[]; readonly deleting: readonly T[] } {
  const state = ledger.observe(owner, own, listedAtMs);
  if (state.kind === 'settling') throw new StillSettlingError(what, state.untilMs);
  return state;
}
