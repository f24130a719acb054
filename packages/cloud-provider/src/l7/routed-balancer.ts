import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { BalancerScope } from '../load-balancers/balancer-scope.ts';
import type { BalancingWatch } from '../load-balancers/balancing-watch.ts';
import { createBalancer, deleteBalancer } from '../load-balancers/change-tree.ts';
import { seeTree } from '../load-balancers/observation.ts';
import type { TreeMemory } from '../load-balancers/tree-memory.ts';
import { changeRouting } from './change-routing.ts';
import { createBody, type DesiredRouting } from './desired-routing.ts';
import { planRouting } from './plan.ts';
import type { PolicyLists } from './policy-lists.ts';

export interface RoutingMemories {
  readonly watch: BalancingWatch;
  readonly memory: TreeMemory;
  readonly policies: PolicyLists;
}

/** All IPv4 addresses of nodes: who routes requests selects none. */
export const ALL_NODES = { nodeSelector: new Map<string, string | null>(), families: [4] } as const;

/** Of members and monitors of pools, each before the next thing is decided. */
const MAX_READS = 128;

/** Makes the next change of a load balancer. Resolves with whether there is none, or it can't be made yet, or it is made. */
export async function improveRouting(
  scope: BalancerScope,
  loadBalancer: LoadBalancer,
  desired: DesiredRouting,
  { memory, policies, watch }: RoutingMemories,
): Promise<'done' | 'waiting' | 'changed'> {
  const { cloud, key } = scope;
  if (loadBalancer.provisioning_status !== 'ACTIVE') {
    watch.expectEnd(cloud, key, loadBalancer);
    return 'waiting';
  }
  for (let reads = 0; reads <= MAX_READS; reads++) {
    const tree = await seeTree(scope, loadBalancer, memory);
    const observed = { ...tree, policies: await policies.see(scope, loadBalancer) };
    const plan = planRouting(desired, observed);
    if (plan.kind === 'done') return 'done';
    if (plan.kind !== 'act') return 'waiting';
    await changeRouting(scope, plan.action, observed, { memory, policies });
    if (plan.action.kind === 'readMembers' || plan.action.kind === 'readMonitor') continue;
    // The one before is over, or this one could not have been asked for.
    watch.settle(key, 'update');
    watch.expect(cloud, key, 'update', loadBalancer);
    return 'changed';
  }
  return 'waiting';
}

/** What Octavia says of a provider, or a flavor of one, that can't do what is asked for. */
const UNSUITED =
  /^Provider '[^']*' (is not enabled|was not found|does not support)|^Flavor .* not compatible with provider/;
const PROVIDER_HINT =
  "Octavia's provider of this cloud reads no HTTP, or is not there: the cloud's operator chooses one with load_balancers.provider in clouds.yaml";

/** Makes all of it by one call. Rejects with what the cloud answers. `warn`: tells whose turn it is, where that is the provider's choice. */
export async function makeRouted(
  scope: BalancerScope,
  desired: DesiredRouting,
  { memory, policies, watch }: RoutingMemories,
  warn: (reason: string, message: string) => void,
): Promise<LoadBalancer> {
  try {
    const made = await createBalancer(scope, createBody(desired), memory);
    policies.changed(scope);
    watch.expect(scope.cloud, scope.key, 'build', made);
    return made;
  } catch (error) {
    if (isOpenStackError(error) && UNSUITED.test(error.detail)) warn('ProviderNotSuited', PROVIDER_HINT);
    throw error;
  }
}

/** The oldest; others are left of creates that were assumed lost, and are deleted. */
export async function theOne(
  scope: BalancerScope,
  present: readonly LoadBalancer[],
  memory: TreeMemory,
): Promise<LoadBalancer | undefined> {
  const [first, ...extra] = present;
  for (const { id, provisioning_status: state } of extra) {
    if (!state.startsWith('PENDING_')) await deleteBalancer(scope, id, memory);
  }
  return first;
}
