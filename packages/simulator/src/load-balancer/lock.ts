import type { World } from '../world.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { immutable } from './problem.ts';
import type { L7Policy, Listener, Pool } from './records.ts';
import { findLoadBalancer } from './tree.ts';

/** The parents of a changed object, whose status changes with it. */
export interface Parents {
  readonly listeners?: readonly Listener[];
  readonly pool?: Pool;
  readonly policy?: L7Policy;
}

/**
 * Begins a change in a load balancer's tree: the load balancer and the parents are PENDING_UPDATE until the provider
 * has finished. A load balancer accepts only one change at a time, and only while it is ACTIVE; otherwise throws 409.
 */
export function lock(
  world: World,
  lifecycle: LoadBalancerLifecycle,
  loadBalancerId: string,
  parents: Parents = {},
): void {
  const { tables } = world;
  const { listeners = [], pool, policy } = parents;
  if (pool !== undefined && pool.provisioning_status !== 'ACTIVE') throw immutable('Pool', pool.id);
  if (policy !== undefined && policy.provisioning_status !== 'ACTIVE') throw immutable('L7Policy', policy.id);
  const loadBalancer = findLoadBalancer(world, loadBalancerId);
  if (loadBalancer.provisioning_status !== 'ACTIVE') throw immutable('Load Balancer', loadBalancerId);
  lifecycle.begin(loadBalancer, 'update');
  for (const listener of listeners) tables.listeners.put({ ...listener, provisioning_status: 'PENDING_UPDATE' });
  if (pool !== undefined) tables.pools.put({ ...pool, provisioning_status: 'PENDING_UPDATE' });
  if (policy !== undefined) tables.l7Policies.put({ ...policy, provisioning_status: 'PENDING_UPDATE' });
}
