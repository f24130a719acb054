import { z } from 'zod';
import { list } from '../types/collections.ts';
import { HealthMonitor, Listener, LoadBalancer, Member, Pool } from '../types/load-balancer.ts';

/**
 * The response when a whole load balancer is created: children instead of their ids, and no references to parents.
 */
const CreatedPool = Pool.extend({
  members: list(Member).default([]),
  healthmonitor: HealthMonitor.nullish(),
});

export const CreatedTree = z.object({
  loadbalancer: LoadBalancer.extend({
    listeners: list(Listener).default([]),
    pools: list(CreatedPool).default([]),
  }),
});

/** A new load balancer with everything created with it, in the form used by lists. */
export interface LoadBalancerTree {
  readonly loadBalancer: LoadBalancer;
  readonly listeners: readonly Listener[];
  readonly pools: readonly Pool[];
  readonly healthMonitors: readonly HealthMonitor[];
  /** By the id of their pool. */
  readonly members: ReadonlyMap<string, readonly Member[]>;
}

/** Adds the references that the response omits. */
export function treeOf({ loadbalancer }: z.infer<typeof CreatedTree>): LoadBalancerTree {
  const { listeners, pools, ...fields } = loadbalancer;
  const loadbalancers = [{ id: fields.id }];
  return {
    loadBalancer: { ...fields, listeners: listeners.map(referenceTo), pools: pools.map(referenceTo) },
    listeners: listeners.map((listener) => ({ ...listener, loadbalancers })),
    pools: pools.map(({ members, healthmonitor, ...pool }) => ({
      ...pool,
      loadbalancers,
      listeners: listeners.filter(({ default_pool_id }) => default_pool_id === pool.id).map(referenceTo),
      members: members.map(referenceTo),
      healthmonitor_id: healthmonitor?.id ?? null,
    })),
    healthMonitors: pools.flatMap(({ id, healthmonitor }) =>
      healthmonitor ? [{ ...healthmonitor, pools: [{ id }] }] : [],
    ),
    members: new Map(pools.map(({ id, members }) => [id, members])),
  };
}

function referenceTo({ id }: { readonly id: string }): { id: string } {
  return { id };
}
