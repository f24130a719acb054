import type { CallOptions } from '@fairway/openstack/service-api';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { balancingOfCluster, balancingOfGuest } from '@fairway/tenancy/cloud/balancing';
import { type ClusterOwner, FAIRWAY_TAG, sharersOf, sharerTag } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Leftover } from './leftover.ts';

/** Each change locks the load balancer for a while. */
const LOOK_AGAIN_MS = 10_000;

/**
 * Takes what Services of a cluster have out of load balancers that no cluster has made, and the marks that say so: one change of each. The load balancers themselves
 * are somebody else's and stay. Returns what is left.
 */
export async function leaveOthersBalancers(
  cloud: ProjectCloud,
  owner: ClusterOwner,
  options: CallOptions,
): Promise<Leftover | undefined> {
  const listed = cloud.cache.loadBalancers.snapshot();
  const used = balancingOfGuest(listed, owner.projectID, owner.clusterUid);
  for (const loadBalancer of used) {
    if (loadBalancer.provisioning_status === 'ACTIVE') await leave(cloud, owner, loadBalancer, options);
  }
  if (used.length === 0) return undefined;
  const ids = used.map(({ id, provisioning_status: state }) => `${id} (${state})`).join(', ');
  return { what: `listeners in load balancers of others: ${ids}`, retryAfterMs: LOOK_AGAIN_MS };
}

async function leave(
  cloud: ProjectCloud,
  owner: ClusterOwner,
  loadBalancer: LoadBalancer,
  options: CallOptions,
): Promise<void> {
  const { cache, ledgers, client } = cloud;
  const { loadBalancers, listeners, pools } = client.loadBalancing;
  const sinceMs = cloud.now();
  cache.loadBalancers.invalidate();
  const [pool] = partsIn(await cache.pools.refreshAfter(sinceMs), owner, loadBalancer);
  if (pool) return cloud.remove(ledgers.pools, pool.id, () => pools.delete(pool.id, options));
  const [listener] = partsIn(await cache.listeners.refreshAfter(sinceMs), owner, loadBalancer);
  if (listener) return cloud.remove(ledgers.listeners, listener.id, () => listeners.delete(listener.id, options));
  const sharers = sharersOf(loadBalancer, owner.projectID);
  const own = new Set(sharers.filter(({ clusterUid }) => clusterUid === owner.clusterUid).map(sharerTag));
  const isLast = own.size === sharers.length;
  const tags = loadBalancer.tags.filter((tag) => !own.has(tag) && !(isLast && tag === FAIRWAY_TAG));
  await loadBalancers.update(loadBalancer.id, { tags }, options);
}

function partsIn<T extends { readonly id: string; readonly tags: string[]; readonly project_id: string } & Placed>(
  listed: { readonly items: ReadonlyMap<string, T> },
  { projectID, clusterUid }: ClusterOwner,
  { id }: LoadBalancer,
): readonly T[] {
  const parts = balancingOfCluster(listed, projectID, clusterUid);
  return parts.filter(({ loadbalancers }) => loadbalancers.some((each) => each.id === id));
}

interface Placed {
  readonly loadbalancers: readonly { readonly id: string }[];
}
