import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { createLoadBalancer, deleteLoadBalancer } from '../load-balancers/change-tree.ts';
import type { LoadBalancerScope } from '../load-balancers/load-balancer-scope.ts';
import type { LoadBalancerWatch } from '../load-balancers/load-balancer-watch.ts';
import { observeTree } from '../load-balancers/observation.ts';
import type { TreeMemory } from '../load-balancers/tree-memory.ts';
import { changeRouting } from './change-routing.ts';
import { createBody, type DesiredRouting } from './desired-routing.ts';
import { planRouting } from './plan.ts';
import type { PolicyLists } from './policy-lists.ts';

export interface RoutingMemories {
  readonly watch: LoadBalancerWatch;
  readonly memory: TreeMemory;
  readonly policies: PolicyLists;
}

/** All IPv4 node addresses; layer-7 load balancers have no node selector. */
export const ALL_NODES = { nodeSelector: new Map<string, string | null>(), families: [4] } as const;

/** Limit on reads of pool members and monitors per step. */
const MAX_READS = 128;

/** Applies the next change. Resolves with whether a change was applied, must wait, or was not needed. */
export async function applyNextRoutingChange(
  scope: LoadBalancerScope,
  loadBalancer: LoadBalancer,
  desired: DesiredRouting,
  { memory, policies, watch }: RoutingMemories,
): Promise<'done' | 'waiting' | 'changed'> {
  const { cloud, key } = scope;
  if (loadBalancer.provisioning_status !== 'ACTIVE') {
    watch.expectPendingChange(cloud, key, loadBalancer);
    return 'waiting';
  }
  for (let reads = 0; reads <= MAX_READS; reads++) {
    const tree = await observeTree(scope, loadBalancer, memory);
    const observed = { ...tree, policies: await policies.observe(scope, loadBalancer) };
    const plan = planRouting(desired, observed);
    if (plan.kind === 'done') return 'done';
    if (plan.kind !== 'act') return 'waiting';
    await changeRouting(scope, plan.action, observed, { memory, policies });
    if (plan.action.kind === 'readMembers' || plan.action.kind === 'readMonitor') continue;
    // The previous change has finished, or Octavia would have rejected this one.
    watch.settle(key, 'update');
    watch.expect(cloud, key, 'update', loadBalancer);
    return 'changed';
  }
  return 'waiting';
}

/** Octavia's messages for a provider or flavor that does not support the request. */
const UNSUPPORTED_PROVIDER =
  /^Provider '[^']*' (is not enabled|was not found|does not support)|^Flavor .* not compatible with provider/;
const PROVIDER_ADVICE =
  "this cloud's Octavia provider is missing or does not support HTTP: the cloud operator must select another one with load_balancers.provider in clouds.yaml";

/**
 * Creates the load balancer and all its parts in one call. Rejects with the cloud's error. `warn` reports who must act
 * if the provider is unsuitable.
 */
export async function createRouted(
  scope: LoadBalancerScope,
  desired: DesiredRouting,
  { memory, policies, watch }: RoutingMemories,
  warn: (reason: string, message: string) => void,
): Promise<LoadBalancer> {
  try {
    const created = await createLoadBalancer(scope, createBody(desired), memory);
    policies.changed(scope);
    watch.expect(scope.cloud, scope.key, 'build', created);
    return created;
  } catch (error) {
    if (isOpenStackError(error) && UNSUPPORTED_PROVIDER.test(error.detail)) warn('ProviderNotSuited', PROVIDER_ADVICE);
    throw error;
  }
}

/** The oldest load balancer. The others were created by requests that were assumed lost, and are deleted. */
export async function oldestLoadBalancer(
  scope: LoadBalancerScope,
  present: readonly LoadBalancer[],
  memory: TreeMemory,
): Promise<LoadBalancer | undefined> {
  const [first, ...extra] = present;
  for (const { id, provisioning_status: state } of extra) {
    if (!state.startsWith('PENDING_')) await deleteLoadBalancer(scope, id, memory);
  }
  return first;
}
