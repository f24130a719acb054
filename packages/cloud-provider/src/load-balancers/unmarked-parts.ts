import type { Listener, LoadBalancer, Pool } from '@fairway/openstack/types/load-balancer';
import { clusterOfTags } from '@fairway/tenancy/cloud/ownership';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { ObservedTree } from './plan.ts';

/**
 * Adds to the tree of a taken-over load balancer the parts that upstream created for the Service and that Fairway has
 * not marked yet: listeners with upstream's tag for the Service, and their pools. Fairway's lists do not contain these
 * parts; they are read only while the load balancer has unknown parts.
 */
export async function withUnmarkedParts(
  scope: LoadBalancerScope,
  loadBalancer: LoadBalancer,
  tree: ObservedTree,
  isKnown: (id: string) => boolean,
): Promise<ObservedTree> {
  const { upstream } = scope;
  if (upstream === undefined || !loadBalancer.tags.includes(upstream.tag)) return tree;
  const hasUnknownListener = loadBalancer.listeners.some(({ id }) => !isKnown(id));
  const listeners = [
    ...tree.listeners,
    ...(hasUnknownListener ? await unmarkedListeners(scope, loadBalancer, tree) : []),
  ];
  const pools = new Set(tree.pools.map(({ id }) => id));
  const missing = listeners.flatMap(({ default_pool_id: id }) => (id && !pools.has(id) ? [id] : []));
  if (missing.length === 0) return { ...tree, listeners };
  return { ...tree, listeners, pools: [...tree.pools, ...(await poolsOf(scope, loadBalancer, missing))] };
}

/**
 * Whether upstream created the object for the Service: its parts belong to the Service even though they lack Fairway's
 * marks.
 */
export function isFromUpstream(
  { upstream }: LoadBalancerScope,
  { tags }: { readonly tags: readonly string[] },
): boolean {
  return upstream !== undefined && tags.includes(upstream.tag);
}

async function unmarkedListeners(
  scope: LoadBalancerScope,
  { id }: LoadBalancer,
  tree: ObservedTree,
): Promise<readonly Listener[]> {
  const { cloud, projectID, signal } = scope;
  const present = new Set(tree.listeners.map((each) => each.id));
  const all = await Array.fromAsync(cloud.client.loadBalancing.listeners.list({ loadbalancer_id: id }, { signal }));
  return all.filter(
    (each) => !present.has(each.id) && isFromUpstream(scope, each) && clusterOfTags(each, projectID) === undefined,
  );
}

async function poolsOf(
  { cloud, signal }: LoadBalancerScope,
  { id }: LoadBalancer,
  desired: readonly string[],
): Promise<readonly Pool[]> {
  const all = await Array.fromAsync(cloud.client.loadBalancing.pools.list({ loadbalancer_id: id }, { signal }));
  return all.filter((pool) => desired.includes(pool.id));
}
