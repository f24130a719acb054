import type { World } from '../world.ts';
import { notFound } from './problem.ts';
import type { HealthMonitor, L7Policy, L7Rule, Listener, LoadBalancer, Member, Pool } from './records.ts';

/* The objects of a load balancer's tree, and navigation in it. */

export function findLoadBalancer({ tables }: World, id: string): LoadBalancer {
  return found(tables.loadBalancers.get(id), 'Load Balancer', id);
}

export function findListener({ tables }: World, id: string): Listener {
  return found(tables.listeners.get(id), 'Listener', id);
}

export function findPool({ tables }: World, id: string): Pool {
  return found(tables.pools.get(id), 'Pool', id);
}

export function findMember({ tables }: World, poolId: string, id: string): Member {
  const member = tables.members.get(id);
  return found(member?.pool_id === poolId ? member : undefined, 'Member', id);
}

export function findMonitor({ tables }: World, id: string): HealthMonitor {
  return found(tables.healthMonitors.get(id), 'Health Monitor', id);
}

export function findPolicy({ tables }: World, id: string): L7Policy {
  return found(tables.l7Policies.get(id), 'L7 Policy', id);
}

export function findRule({ tables }: World, policyId: string, id: string): L7Rule {
  const rule = tables.l7Rules.get(id);
  return found(rule?.l7policy_id === policyId ? rule : undefined, 'L7 Rule', id);
}

function found<R>(row: R | undefined, noun: string, id: string): R {
  if (row === undefined) throw notFound(noun, id);
  return row;
}

export function listenersOf({ indexes }: World, loadBalancer: LoadBalancer): Listener[] {
  return indexes.listenersByLoadBalancer.of(loadBalancer.id);
}

export function poolsOf({ indexes }: World, loadBalancer: LoadBalancer): Pool[] {
  return indexes.poolsByLoadBalancer.of(loadBalancer.id);
}

export function membersOf({ indexes }: World, pool: Pool): Member[] {
  return indexes.membersByPool.of(pool.id);
}

export function monitorOf({ indexes }: World, pool: Pool): HealthMonitor | undefined {
  return indexes.monitorsByPool.of(pool.id)[0];
}

/** The listener's policies, in order of position. */
export function policiesOf({ indexes }: World, listener: Listener): L7Policy[] {
  return indexes.policiesByListener.of(listener.id).sort((a, b) => a.position - b.position);
}

export function rulesOf({ indexes }: World, policy: L7Policy): L7Rule[] {
  return indexes.rulesByPolicy.of(policy.id);
}

/** The listeners that use a pool, as their default pool or through an active policy. */
export function listenersUsing(world: World, pool: Pool): Listener[] {
  const { indexes, tables } = world;
  const policies = indexes.policiesByPool.of(pool.id).filter((policy) => isEffective(world, policy));
  const ids = new Set([
    ...indexes.listenersByDefaultPool.of(pool.id).map((listener) => listener.id),
    ...policies.map((policy) => policy.listener_id),
  ]);
  return [...ids].map((id) => tables.listeners.get(id)).filter((listener) => listener !== undefined);
}

/** The pools of a listener: its default pool, then those of its active policies. */
export function poolsUsedBy(world: World, listener: Listener): Pool[] {
  const policies = policiesOf(world, listener).filter((policy) => isEffective(world, policy));
  const ids = new Set([listener.default_pool_id, ...policies.map((policy) => policy.redirect_pool_id)]);
  return [...ids].map((id) => world.tables.pools.get(id ?? '')).filter((pool) => pool !== undefined);
}

/** Whether the policy matches requests: a policy that is disabled or has no rules matches nothing. */
function isEffective(world: World, policy: L7Policy): boolean {
  return policy.admin_state_up && rulesOf(world, policy).length > 0;
}

/** Addresses of the VIPs, starting with the first VIP. */
export function addressesOf({ vip_address, additional_vips }: LoadBalancer): readonly string[] {
  return [vip_address, ...additional_vips.flatMap(({ ip_address }) => ip_address ?? [])];
}
