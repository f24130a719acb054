import type { L7PolicyCreate, L7PolicyUpdate } from '@fairway/openstack/load-balancer/load-balancing';
import type { L7Policy, L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { Listener, ListenerFields, Pool, PoolFields } from '@fairway/openstack/types/load-balancer';
import { listenerChanges } from '../load-balancers/differences.ts';
import { type Action, nextPoolAction, type ObservedTree } from '../load-balancers/plan.ts';
import { type DesiredListener, type DesiredPolicy, type DesiredRouting, policyFields } from './desired-routing.ts';

/** The load balancer as returned by the API. */
export interface ObservedRouting extends ObservedTree {
  /** In order of precedence. */
  readonly policies: readonly L7Policy[];
}

/** Parts that Service load balancers do not have. */
export type RoutingAction =
  | { readonly kind: 'createSharedPool'; readonly pool: PoolFields }
  | {
      readonly kind: 'createHttpListener';
      readonly listener: ListenerFields & { readonly default_pool_id?: string };
    }
  | { readonly kind: 'createPolicy'; readonly policy: L7PolicyCreate }
  | { readonly kind: 'createRule'; readonly policyID: string; readonly rule: L7RuleFields }
  | { readonly kind: 'updatePolicy'; readonly id: string; readonly changes: L7PolicyUpdate }
  | { readonly kind: 'deletePolicy'; readonly id: string };

export type RoutingPlan =
  | { readonly kind: 'done' }
  /** The load balancer is pending and cannot be changed. */
  | { readonly kind: 'wait' }
  /** The load balancer is in ERROR. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'act'; readonly action: Action | RoutingAction };

/**
 * The next change towards the desired state. Pools are created before requests are sent to them and deleted last. Pure;
 * `plan.test.ts` contains the rules as tables.
 */
export function planRouting(desired: DesiredRouting, observed: ObservedRouting): RoutingPlan {
  const state = observed.loadBalancer.provisioning_status;
  if (state === 'ERROR') return { kind: 'broken' };
  if (state !== 'ACTIVE') return { kind: 'wait' };
  const action =
    nextForeignListener(desired, observed) ??
    nextPool(desired, observed) ??
    nextListener(desired, observed) ??
    nextSurplusPool(desired, observed);
  return action ? { kind: 'act', action } : { kind: 'done' };
}

function isSame({ listener }: DesiredListener, { protocol, protocol_port: port }: Listener): boolean {
  return protocol === listener.protocol && port === listener.protocol_port;
}

/** The policies of a deleted listener are deleted with it. */
function nextForeignListener(
  { listeners: desiredState }: DesiredRouting,
  { listeners }: ObservedRouting,
): Action | undefined {
  const surplus = listeners.find((listener) => !desiredState.some((each) => isSame(each, listener)));
  return surplus && { kind: 'deleteListener', id: surplus.id };
}

function nextPool({ pools }: DesiredRouting, observed: ObservedRouting): Action | RoutingAction | undefined {
  for (const desired of pools) {
    const pool = poolOf(desired.pool.name, observed);
    const action: Action | RoutingAction | undefined =
      pool === undefined ? { kind: 'createSharedPool', pool: desired.pool } : nextPoolAction(desired, pool, observed);
    if (action) return action;
  }
  return undefined;
}

/**
 * A pool's protocol cannot be changed, so a pool with a different protocol is ignored here and deleted with the surplus
 * pools.
 */
function poolOf(name: string | undefined, { pools }: ObservedRouting): Pool | undefined {
  return pools.find((pool) => pool.name === name && pool.protocol === 'HTTP');
}

function nextListener(desired: DesiredRouting, observed: ObservedRouting): Action | RoutingAction | undefined {
  for (const desiredState of desired.listeners) {
    const action = nextRouting(desiredState, desired.tags, observed);
    if (action) return action;
  }
  return undefined;
}

function nextRouting(
  desiredState: DesiredListener,
  tags: readonly string[],
  observed: ObservedRouting,
): Action | RoutingAction | undefined {
  const defaultPoolID = poolOf(desiredState.defaultPool, observed)?.id;
  const listener = observed.listeners.find((each) => isSame(desiredState, each));
  if (listener === undefined) {
    const pool = defaultPoolID !== undefined && { default_pool_id: defaultPoolID };
    return { kind: 'createHttpListener', listener: { ...desiredState.listener, ...pool } };
  }
  const changes = {
    ...listenerChanges(desiredState.listener, listener),
    ...((listener.default_pool_id ?? undefined) !== defaultPoolID && { default_pool_id: defaultPoolID ?? null }),
  };
  if (Object.keys(changes).length > 0) return { kind: 'updateListener', id: listener.id, changes };
  return (
    nextPolicy(desiredState, tags, observed, listener.id) ?? nextSurplusPolicy(desiredState, observed, listener.id)
  );
}

/**
 * Surplus policies may remain among the desired ones until all desired ones exist, so rerouted requests always have a
 * route.
 */
function nextPolicy(
  { policies }: DesiredListener,
  tags: readonly string[],
  observed: ObservedRouting,
  listenerID: string,
): RoutingAction | undefined {
  const present = policiesOf(observed, listenerID);
  // The next policy must come after this one.
  let before = 0;
  for (const desiredState of policies) {
    const target = targetOf(desiredState, observed);
    if (target === undefined) continue;
    const policy = present.find((each) => isUpToDate(each, desiredState));
    if (policy === undefined) {
      const fields = policyFields(desiredState, tags, before + 1);
      // A policy with only some of its rules matches too much.
      const admin_state_up = desiredState.rules.length <= 1;
      return { kind: 'createPolicy', policy: { ...fields, ...target, admin_state_up, listener_id: listenerID } };
    }
    const rule = desiredState.rules[policy.rules.length];
    if (rule) return { kind: 'createRule', policyID: policy.id, rule };
    const changes = {
      ...(!policy.admin_state_up && { admin_state_up: true }),
      // Move this policy after the previous one, which must precede it.
      ...(policy.position < before && { position: before }),
      ...('redirect_pool_id' in target && policy.redirect_pool_id !== target.redirect_pool_id && target),
    };
    if (Object.keys(changes).length > 0) return { kind: 'updatePolicy', id: policy.id, changes };
    before = policy.position;
  }
  return undefined;
}

/** Undefined if the pool is missing. */
function targetOf(
  { target }: DesiredPolicy,
  observed: ObservedRouting,
): { readonly redirect_pool_id?: string } | undefined {
  if (typeof target !== 'string') return {};
  const pool = poolOf(target, observed);
  return pool && { redirect_pool_id: pool.id };
}

function policiesOf({ policies }: ObservedRouting, listenerID: string): readonly L7Policy[] {
  return policies.filter(({ listener_id }) => listener_id === listenerID);
}

/**
 * Also true while the policy is being created: rules are created in order, and a policy without rules matches nothing.
 */
function isUpToDate(policy: L7Policy, { matchTag, rules, target }: DesiredPolicy): boolean {
  if (!policy.tags.includes(matchTag) || !hasTarget(policy, target)) return false;
  const missing = rules.length - policy.rules.length;
  return missing === 0 || (missing > 0 && (!policy.admin_state_up || policy.rules.length === 0));
}

/** Ignores the pool of a policy, which can be changed. */
function hasTarget(policy: L7Policy, target: DesiredPolicy['target']): boolean {
  if (typeof target === 'string') return policy.action === 'REDIRECT_TO_POOL';
  return Object.entries(target).every(([field, value]) => policy[field as keyof L7Policy] === value);
}

function nextSurplusPolicy(
  { policies }: DesiredListener,
  observed: ObservedRouting,
  listenerID: string,
): RoutingAction | undefined {
  const present = policiesOf(observed, listenerID);
  const kept = new Set(policies.map((desiredState) => present.find((each) => isUpToDate(each, desiredState))));
  const surplus = present.find((policy) => !kept.has(policy));
  return surplus && { kind: 'deletePolicy', id: surplus.id };
}

function nextSurplusPool({ pools }: DesiredRouting, observed: ObservedRouting): Action | undefined {
  const used = new Set(pools.map(({ pool }) => poolOf(pool.name, observed)?.id));
  const unused = observed.pools.find(({ id }) => !used.has(id));
  return unused && { kind: 'deletePool', id: unused.id };
}
