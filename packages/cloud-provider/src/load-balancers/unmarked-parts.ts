import type { Listener, LoadBalancer, Pool } from '@fairway/openstack/types/load-balancer';
import { clusterOfTags } from '@fairway/tenancy/cloud/ownership';
import type { BalancerScope } from './balancer-scope.ts';
import type { ObservedTree } from './plan.ts';

/**
 * The tree of a load balancer that was taken over, with what upstream made in it for the Service and Fairway has not marked yet: listeners with the Service's tag of
 * upstream's, and the pools behind listeners. No list of Fairway's shows them; asked for only while the load balancer shows some that are not known.
 */
export async function withUnmarked(
  scope: BalancerScope,
  loadBalancer: LoadBalancer,
  tree: ObservedTree,
  isKnown: (id: string) => boolean,
): Promise<ObservedTree> {
  const { upstream } = scope;
  if (upstream === undefined || !loadBalancer.tags.includes(upstream.tag)) return tree;
  const hasUnknown = loadBalancer.listeners.some(({ id }) => !isKnown(id));
  const listeners = [...tree.listeners, ...(hasUnknown ? await unmarkedListeners(scope, loadBalancer, tree) : [])];
  const pools = new Set(tree.pools.map(({ id }) => id));
  const missing = listeners.flatMap(({ default_pool_id: id }) => (id && !pools.has(id) ? [id] : []));
  if (missing.length === 0) return { ...tree, listeners };
  return { ...tree, listeners, pools: [...tree.pools, ...(await poolsOf(scope, loadBalancer, missing))] };
}

/** Whether upstream has made it for the Service: its parts are the Service's though nothing of Fairway's says so. */
export function isOfUpstream({ upstream }: BalancerScope, { tags }: { readonly tags: readonly string[] }): boolean {
  return upstream !== undefined && tags.includes(upstream.tag);
}

async function unmarkedListeners(
  scope: BalancerScope,
  { id }: LoadBalancer,
  tree: ObservedTree,
): Promise<readonly Listener[]> {
  const { cloud, projectID, signal } = scope;
  const present = new Set(tree.listeners.map((each) => each.id));
  const all = await Array.fromAsync(cloud.client.loadBalancing.listeners.list({ loadbalancer_id: id }, { signal }));
  return all.filter(
    (each) => !present.has(each.id) && isOfUpstream(scope, each) && clusterOfTags(each, projectID) === undefined,
  );
}

async function poolsOf(
  { cloud, signal }: BalancerScope,
  { id }: LoadBalancer,
  wanted: readonly string[],
): Promise<readonly Pool[]> {
  const all = await Array.fromAsync(cloud.client.loadBalancing.pools.list({ loadbalancer_id: id }, { signal }));
  return all.filter((pool) => wanted.includes(pool.id));
}
