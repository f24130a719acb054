import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Listener, LoadBalancer, Pool } from '@fairway/openstack/types/load-balancer';
import type { FloatingIp } from '@fairway/openstack/types/network';
import { balancingOfCluster, ofOwner, sharedBy } from '@fairway/tenancy/cloud/balancing';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import {
  balancerFloatingIpRole,
  isOfProject,
  keptFloatingIpDescription,
  ownerDescription,
  serviceOfDescription,
  serviceOwner,
} from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import type { BalancerScope } from './balancer-scope.ts';
import type { FloatingIpMarks } from './floating-ip-plan.ts';
import type { ObservedTree } from './plan.ts';
import { serviceKey } from './service-key.ts';
import type { ServiceScope } from './service-scope.ts';
import { servicesByUid, servicesOf, wantsLoadBalancer } from './tenant-services.ts';
import type { TreeMemory } from './tree-memory.ts';
import { withUnmarked } from './unmarked-parts.ts';

/** Of the list of load balancers, which is made every minute while there are any. */
const MAX_AGE_MS = 120_000;
/** Nobody changes floating IPs but who asks for it. */
const FLOATING_IPS_MAX_AGE_MS = 600_000;

export interface SeenBalancers {
  /** Oldest first; more than one after a create that was assumed lost. */
  readonly present: readonly LoadBalancer[];
  /** How many are being deleted. */
  readonly going: number;
}

/** The owner's load balancers. Rejects with StillSettling while a create may still take effect. */
export async function seeBalancers({ cloud, owner, key, projectID, signal }: BalancerScope): Promise<SeenBalancers> {
  const ledger = cloud.ledgers.loadBalancers;
  const listed = await cloud.cache.loadBalancers.refreshAfter(cloud.reliableFromMs(ledger, MAX_AGE_MS), signal);
  const { items, deleting } = overlaid(ledger, key, listed, ofOwner(listed, projectID, owner), 'load balancer');
  const present = items.filter((each) => !isGoing(each));
  return { present, going: deleting.length + items.length - present.length };
}

/** The load balancers that a Service uses which were not made for it, by the last list. */
export function seeShared({ cloud, owner, projectID }: ServiceScope): readonly LoadBalancer[] {
  const listed = cloud.cache.loadBalancers.snapshot();
  return sharedBy(listed, projectID, owner).flatMap((each) => seeHosted(cloud, hostKeyOf(each, projectID), each) ?? []);
}

/** A listed load balancer with what this process has done to it since; undefined if it is being deleted. */
export function seeHosted(cloud: ProjectCloud, hostKey: string, loadBalancer: LoadBalancer): LoadBalancer | undefined {
  const ledger = cloud.ledgers.loadBalancers;
  const { items } = overlaid(ledger, hostKey, cloud.cache.loadBalancers.snapshot(), [loadBalancer], 'load balancer');
  return items.find((each) => each.id === loadBalancer.id && !isGoing(each));
}

/** By which this process keeps what it knows of a load balancer: the key of the Service that it was made for, if it was. */
export function hostKeyOf(loadBalancer: LoadBalancer, projectID: string): string {
  const owner = serviceOwner(loadBalancer, projectID);
  return owner ? serviceKey(owner) : `nobody/${loadBalancer.id}`;
}

/** Listeners of the cluster in a load balancer, whosever they are, as the last list shows them. */
export function listenersIn({ cloud, owner, projectID }: BalancerScope, { id }: LoadBalancer): readonly Listener[] {
  const listed = balancingOfCluster(cloud.cache.listeners.snapshot(), projectID, owner.clusterUid);
  return listed.filter(({ loadbalancers }) => loadbalancers.some((each) => each.id === id));
}

function isGoing({ provisioning_status: state }: LoadBalancer): boolean {
  return state === 'PENDING_DELETE' || state === 'DELETED';
}

/**
 * All of the load balancer's tree. Its parts are listed only if they may be other than this process knows them: also where the load balancer shows that
 * one of them is gone, which somebody has deleted while this process was changing another.
 */
export async function seeTree(
  scope: BalancerScope,
  loadBalancer: LoadBalancer,
  memory: TreeMemory,
): Promise<ObservedTree> {
  const tree = await seeParts(scope, loadBalancer, memory);
  if (loadBalancer.provisioning_status !== 'ACTIVE') return tree;
  const shown = new Set([...loadBalancer.listeners, ...loadBalancer.pools].map(({ id }) => id));
  if ([...tree.listeners, ...tree.pools].every(({ id }) => shown.has(id))) return whole(scope, loadBalancer, tree);
  memory.doubt(scope.key, scope.cloud.cache.loadBalancers.snapshot().listedAtMs ?? 0);
  return whole(scope, loadBalancer, await seeParts(scope, loadBalancer, memory));
}

function whole(scope: BalancerScope, loadBalancer: LoadBalancer, tree: ObservedTree): Promise<ObservedTree> {
  const known = new Set([...tree.listeners, ...listenersIn(scope, loadBalancer)].map(({ id }) => id));
  return withUnmarked(scope, loadBalancer, tree, (id) => known.has(id));
}

async function seeParts(scope: BalancerScope, loadBalancer: LoadBalancer, memory: TreeMemory): Promise<ObservedTree> {
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
  const isIn = ({ loadbalancers }: { readonly loadbalancers: readonly { readonly id: string }[] }) =>
    loadbalancers.some(({ id }) => id === loadBalancer.id);
  const members = memory.members(key);
  const monitors = overlaid(
    ledgers.healthMonitors,
    key,
    healthMonitors,
    ofOwner(healthMonitors, projectID, owner),
    'health monitor',
  ).items;
  const present = (pool: Pool): Pool => ({
    ...pool,
    members: [...(members.get(pool.id) ?? pool.members)].map(({ id }) => ({ id })),
    // Lists may show one whose pool is known by the answer that did not tell of it.
    healthmonitor_id: monitors.find(({ pools }) => pools.some(({ id }) => id === pool.id))?.id ?? pool.healthmonitor_id,
  });
  return {
    loadBalancer,
    listeners: overlaid(
      ledgers.listeners,
      key,
      listeners,
      ofOwner(listeners, projectID, owner),
      'listener',
    ).items.filter(isIn),
    pools: overlaid(ledgers.pools, key, pools, ofOwner(pools, projectID, owner), 'pool')
      .items.filter(isIn)
      .map(present),
    monitors,
    members,
  };
}

export function floatingIpMarks({ owner, tenant }: Pick<BalancerScope, 'owner' | 'tenant'>): FloatingIpMarks {
  const hasOwner = (serviceUid: string) => servicesOf(tenant).find(servicesByUid, serviceUid).some(wantsLoadBalancer);
  return {
    own: ownerDescription(owner.clusterUid, balancerFloatingIpRole(owner)),
    kept: keptFloatingIpDescription(owner),
    isLeft({ description }) {
      const whose = serviceOfDescription(description);
      return whose?.clusterUid === owner.clusterUid && !hasOwner(whose.serviceUid);
    },
  };
}

/** All floating IPs of the project. Rejects with StillSettling while a create for the owner may still take effect. */
export async function seeFloatingIps(scope: BalancerScope): Promise<readonly FloatingIp[]> {
  const { cloud, projectID, signal } = scope;
  const { own, kept } = floatingIpMarks(scope);
  const ledger = cloud.ledgers.floatingIps;
  const fromMs = cloud.reliableFromMs(ledger, FLOATING_IPS_MAX_AGE_MS);
  const listed = await cloud.cache.floatingIps.refreshAfter(fromMs, signal);
  const all = [...listed.items.values()].filter((each) => isOfProject(each, projectID));
  const marked = all.filter(({ description }) => description === own || description === kept);
  const { items, deleting } = overlaid(ledger, own, listed, marked, 'floating IP');
  const known = new Set([...items, ...deleting].map(({ id }) => id));
  const others = all.filter(({ id }) => !known.has(id) && !ledger.isDeleting(id, listed.listedAtMs ?? 0));
  return [...items, ...others];
}

/** What a list shows, with what this process has done since. */
function overlaid<T extends { readonly id: string }>(
  ledger: Ledger<T>,
  owner: string,
  { listedAtMs = 0 }: Snapshot<T>,
  own: readonly T[],
  what: string,
): { readonly items: readonly T[]; readonly deleting: readonly T[] } {
  const state = ledger.observe(owner, own, listedAtMs);
  if (state.kind === 'settling') throw new StillSettling(what, state.untilMs);
  return state;
}
