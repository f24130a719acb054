import type { Service } from '@fairway/kube/kinds/generated/types';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import {
  clusterOfTags,
  FAIRWAY_TAG,
  serviceOwner,
  serviceTags,
  sharersOf,
  sharerTag,
} from '@fairway/tenancy/cloud/ownership';
import { changeTags, changeTree, deleteBalancer } from './change-tree.ts';
import type { DesiredLoadBalancer } from './desired.ts';
import { handOverFloatingIps } from './floating-ip.ts';
import { hostKeyOf, seeTree } from './observation.ts';
import { planLoadBalancer } from './plan.ts';
import type { ServiceScope } from './service-scope.ts';
import { heirsOf } from './sharing.ts';
import type { TreeMemory } from './tree-memory.ts';

const NOWHERE = { subnetID: undefined, networkID: undefined, portID: undefined, address: undefined };
const NOTHING: DesiredLoadBalancer = {
  name: '',
  description: '',
  tags: [],
  provider: undefined,
  vip: NOWHERE,
  place: NOWHERE,
  flavorID: undefined,
  availabilityZone: undefined,
  ports: [],
};

/** What is left to be waited for: Octavia's deletion of it, or another change. */
export type Leaving = 'deletion' | 'update' | 'build';

/**
 * One step towards a load balancer that a Service has nothing to do with: one that is the Service's alone is deleted. From one that others use its own parts are
 * taken away, then its mark: the first heir takes its place, floating IP included, and the name stays. `kept`: what a floating IP that it keeps is called from then on.
 */
export async function leaveBalancer(
  scope: ServiceScope,
  loadBalancer: LoadBalancer,
  kept: { readonly as: string } | undefined,
  memory: TreeMemory,
): Promise<Leaving> {
  const { key, owner, projectID } = scope;
  const { provisioning_status: state } = loadBalancer;
  // Octavia lets nobody change what it is at work on.
  if (state.startsWith('PENDING_')) return 'build';
  const isHost = serviceOwner(loadBalancer, projectID)?.serviceUid === owner.serviceUid;
  const [heir] = isHost ? heirsOf(scope, loadBalancer) : [];
  // What is in ERROR takes no change: its next owner would have to make it anew as well.
  if (isHost && (heir === undefined || state === 'ERROR')) {
    // Somebody who shares it may be changing it at this very moment.
    const isDone = await memory.alone(loadBalancer.id, () => deleteBalancer(scope, loadBalancer.id, memory));
    return isDone ? 'deletion' : 'build';
  }
  if (state !== 'ACTIVE') return 'build';
  const hosted = { ...scope, hostKey: hostKeyOf(loadBalancer, projectID) };
  const tree = await seeTree(hosted, loadBalancer, memory);
  const plan = planLoadBalancer(NOTHING, tree, { isOwn: () => true });
  if (plan.kind === 'act') {
    await changeTree(hosted, plan.action, tree, memory);
    return 'update';
  }
  if (isHost && heir) await inherit(hosted, loadBalancer, heir, kept, memory);
  else await changeTags(hosted, loadBalancer, withoutSharer(scope, loadBalancer), memory);
  memory.forget(key);
  return 'update';
}

async function inherit(
  scope: ServiceScope,
  loadBalancer: LoadBalancer,
  heir: Service,
  kept: { readonly as: string } | undefined,
  memory: TreeMemory,
): Promise<void> {
  const { cloud, key, owner } = scope;
  const next = { clusterUid: owner.clusterUid, serviceUid: heir.metadata.uid ?? '' };
  await handOverFloatingIps(scope, loadBalancer.vip_port_id ?? '', next, kept);
  const gone = new Set([...serviceTags(owner), sharerTag(next), scope.upstream?.tag]);
  const others = loadBalancer.tags.filter((tag) => !gone.has(tag));
  const tags = [...new Set([...serviceTags(next), ...others])];
  const nextKey = hostKeyOf({ ...loadBalancer, tags }, scope.projectID);
  const isDone = await changeTags({ ...scope, hostKey: nextKey }, loadBalancer, tags, memory);
  if (isDone) cloud.ledgers.loadBalancers.forget(key);
}

/** One that no cluster has made loses the mark by which Fairway lists it with the last who uses it. */
function withoutSharer({ owner, projectID, upstream }: ServiceScope, loadBalancer: LoadBalancer): readonly string[] {
  const tags = loadBalancer.tags.filter((tag) => tag !== sharerTag(owner) && tag !== upstream?.tag);
  const isInUse =
    clusterOfTags(loadBalancer, projectID) !== undefined || sharersOf({ ...loadBalancer, tags }, projectID).length > 0;
  return isInUse ? tags : tags.filter((tag) => tag !== FAIRWAY_TAG);
}
