import { changeTree, withPendingChange } from '../load-balancers/change-tree.ts';
import type { LoadBalancerScope } from '../load-balancers/load-balancer-scope.ts';
import type { Action } from '../load-balancers/plan.ts';
import type { TreeMemory } from '../load-balancers/tree-memory.ts';
import type { ObservedRouting, RoutingAction } from './plan.ts';
import type { PolicyLists } from './policy-lists.ts';

interface CacheMemories {
  readonly memory: TreeMemory;
  readonly policies: PolicyLists;
}

/** Applies one change to the load balancer, after which it is pending. */
export function changeRouting(
  scope: LoadBalancerScope,
  action: Action | RoutingAction,
  tree: ObservedRouting,
  memories: CacheMemories,
): Promise<void> {
  const { memory } = memories;
  if (!isRoutingAction(action)) return changeTree(scope, action, tree, memory);
  return withPendingChange(scope, tree.loadBalancer, memory, () => perform(scope, action, tree, memories));
}

const ROUTING_KINDS: ReadonlySet<string> = new Set<RoutingAction['kind']>([
  'createSharedPool',
  'createHttpListener',
  'createPolicy',
  'createRule',
  'updatePolicy',
  'deletePolicy',
]);

function isRoutingAction(action: Action | RoutingAction): action is RoutingAction {
  return ROUTING_KINDS.has(action.kind);
}

async function perform(
  scope: LoadBalancerScope,
  action: RoutingAction,
  { loadBalancer }: ObservedRouting,
  { memory, policies }: CacheMemories,
): Promise<void> {
  const { cloud, key, signal } = scope;
  const { ledgers } = cloud;
  const octavia = cloud.client.loadBalancing;
  const options = { signal };
  const loadbalancers = [{ id: loadBalancer.id }];
  switch (action.kind) {
    case 'createSharedPool': {
      const body = { ...action.pool, loadbalancer_id: loadBalancer.id };
      const created = await cloud.make(ledgers.pools, key, () => octavia.pools.create(body, options));
      ledgers.pools.recordWritten(key, { ...created, loadbalancers }, cloud.now());
      memory.recordWrittenMembers(key, created.id, []);
      return;
    }
    case 'createHttpListener': {
      const body = { ...action.listener, loadbalancer_id: loadBalancer.id };
      const created = await cloud.make(ledgers.listeners, key, () => octavia.listeners.create(body, options));
      ledgers.listeners.recordWritten(key, { ...created, loadbalancers }, cloud.now());
      policies.changed(scope);
      return;
    }
    case 'createPolicy':
      policies.changed(scope);
      await cloud.withQuotas(1, () => octavia.l7Policies.create(action.policy, options));
      break;
    case 'createRule':
      policies.changed(scope);
      await cloud.withQuotas(1, () => octavia.createRule(action.policyID, action.rule, options));
      break;
    case 'updatePolicy':
      policies.changed(scope);
      await octavia.l7Policies.update(action.id, action.changes, options);
      break;
    case 'deletePolicy':
      policies.changed(scope);
      await octavia.l7Policies.delete(action.id, options);
      break;
  }
  policies.changed(scope);
}
