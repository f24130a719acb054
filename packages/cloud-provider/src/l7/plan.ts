import type { L7PolicyCreate, L7PolicyUpdate } from '@fairway/openstack/load-balancer/load-balancing';
import type { L7Policy } from '@fairway/openstack/types/l7-policy';
import type { Listener, ListenerFields, Pool, PoolFields } from '@fairway/openstack/types/load-balancer';
import { listenerChanges } from '../load-balancers/differences.ts';
import { type Action, nextOfPool, type ObservedTree } from '../load-balancers/plan.ts';
import { type DesiredPolicy, type DesiredRouting, policyFields } from './desired-routing.ts';

/** The load balancer as the API shows it. */
export interface ObservedRouting extends ObservedTree {
  /** In the order in which they count. */
  readonly policies: readonly L7Policy[];
}

/** What the trees of Services have none of. */
export type RoutingAction =
  | { readonly kind: 'createSharedPool'; readonly pool: PoolFields }
  | {
      readonly kind: 'createHttpListener';
      readonly listener: ListenerFields & { readonly default_pool_id?: string };
    }
  | { readonly kind: 'createPolicy'; readonly policy: L7PolicyCreate }
  | { readonly kind: 'updatePolicy'; readonly id: string; readonly changes: L7PolicyUpdate }
  | { readonly kind: 'deletePolicy'; readonly id: string };

export type RoutingPlan =
  | { readonly kind: 'done' }
  /** It is pending: nothing can be changed. */
  | { readonly kind: 'wait' }
  /** It is in ERROR. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'act'; readonly action: Action | RoutingAction };

/**
 * The next change that brings the load balancer nearer to what is wanted. What requests are to go to is made before they are sent there, and what
 * they went to is deleted last. Pure; `plan.test.ts` has the rules as tables.
 */
export function planRouting(desired: DesiredRouting, observed: ObservedRouting): RoutingPlan {
  const state = observed.loadBalancer.provisioning_status;
  if (state === 'ERROR') return { kind: 'broken' };
  if (state !== 'ACTIVE') return { kind: 'wait' };
  const action = nextForeignListener(observed) ?? nextPool(desired, observed) ?? nextRouting(desired, observed);
  return action ? { kind: 'act', action } : { kind: 'done' };
}

function isWanted({ protocol, protocol_port }: Listener): boolean {
  return protocol === 'HTTP' && protocol_port === 80;
}

/** Its policies go with it. */
function nextForeignListener({ listeners }: ObservedRouting): Action | undefined {
  const surplus = listeners.find((listener) => !isWanted(listener));
  return surplus && { kind: 'deleteListener', id: surplus.id };
}

function nextPool({ pools }: DesiredRouting, observed: ObservedRouting): Action | RoutingAction | undefined {
  for (const desired of pools) {
    const pool = poolOf(desired.pool.name, observed);
    const action: Action | RoutingAction | undefined =
      pool === undefined ? { kind: 'createSharedPool', pool: desired.pool } : nextOfPool(desired, pool, observed);
    if (action) return action;
  }
  return undefined;
}

/** One of another protocol can't be made right, and goes with what is not wanted. */
function poolOf(name: string | undefined, { pools }: ObservedRouting): Pool | undefined {
  return pools.find((pool) => pool.name === name && pool.protocol === 'HTTP');
}

function nextRouting(desired: DesiredRouting, observed: ObservedRouting): Action | RoutingAction | undefined {
  const defaultPoolID = poolOf(desired.defaultPool, observed)?.id;
  const listener = observed.listeners.find(isWanted);
  if (listener === undefined) {
    const pool = defaultPoolID !== undefined && { default_pool_id: defaultPoolID };
    return { kind: 'createHttpListener', listener: { ...desired.listener, ...pool } };
  }
  const changes = {
    ...listenerChanges(desired.listener, listener),
    ...((listener.default_pool_id ?? undefined) !== defaultPoolID && { default_pool_id: defaultPoolID ?? null }),
  };
  if (Object.keys(changes).length > 0) return { kind: 'updateListener', id: listener.id, changes };
  return nextPolicy(desired, observed, listener.id) ?? nextSurplus(desired, observed, listener.id);
}

/** Policies that are not wanted may be in between until the wanted ones are there: what is routed anew is never without its route. */
function nextPolicy(
  { policies, tags }: DesiredRouting,
  observed: ObservedRouting,
  listenerID: string,
): RoutingAction | undefined {
  const present = policiesOf(observed, listenerID);
  // Behind which the next one has to be.
  let before = 0;
  for (const wanted of policies) {
    const redirect_pool_id = poolOf(wanted.pool, observed)?.id;
    if (redirect_pool_id === undefined) continue;
    const policy = present.find((each) => isAsWanted(each, wanted));
    if (policy === undefined) {
      const fields = policyFields(wanted, tags, before + 1);
      return { kind: 'createPolicy', policy: { ...fields, listener_id: listenerID, redirect_pool_id } };
    }
    const changes = {
      // It leaves its place first, which is before the other's.
      ...(policy.position < before && { position: before }),
      ...(policy.redirect_pool_id !== redirect_pool_id && { redirect_pool_id }),
    };
    if (Object.keys(changes).length > 0) return { kind: 'updatePolicy', id: policy.id, changes };
    before = policy.position;
  }
  return undefined;
}

function policiesOf({ policies }: ObservedRouting, listenerID: string): readonly L7Policy[] {
  return policies.filter(({ listener_id }) => listener_id === listenerID);
}

function isAsWanted({ tags, rules }: L7Policy, wanted: DesiredPolicy): boolean {
  return tags.includes(wanted.matchTag) && rules.length === wanted.rules.length;
}

function nextSurplus(
  { policies, pools }: DesiredRouting,
  observed: ObservedRouting,
  listenerID: string,
): Action | RoutingAction | undefined {
  const present = policiesOf(observed, listenerID);
  const kept = new Set(policies.map((wanted) => present.find((each) => isAsWanted(each, wanted))));
  const surplus = present.find((policy) => !kept.has(policy));
  if (surplus) return { kind: 'deletePolicy', id: surplus.id };
  const used = new Set(pools.map(({ pool }) => poolOf(pool.name, observed)?.id));
  const unused = observed.pools.find(({ id }) => !used.has(id));
  return unused && { kind: 'deletePool', id: unused.id };
}
