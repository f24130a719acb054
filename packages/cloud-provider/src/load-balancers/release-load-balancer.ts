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
import { changeTags, changeTree, deleteLoadBalancer } from './change-tree.ts';
import type { DesiredLoadBalancer } from './desired.ts';
import { handOverFloatingIps } from './floating-ip.ts';
import { hostKeyOf, observeTree } from './observation.ts';
import { planLoadBalancer } from './plan.ts';
import type { ServiceScope } from './service-scope.ts';
import { successorsOf } from './sharing.ts';
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

/** What remains to be awaited: Octavia's deletion or another change. */
export type PendingChange = 'deletion' | 'update' | 'build';

/**
 * Takes one step to release a load balancer from a Service. If nothing else uses it, it is deleted. Otherwise the Service's parts are removed, then its mark:
 * the first successor takes its place, including the floating IP, and the name stays. `kept`: the description of a floating IP to keep.
 */
export async function releaseLoadBalancer(
  scope: ServiceScope,
  loadBalancer: LoadBalancer,
  kept: { readonly as: string } | undefined,
  memory: TreeMemory,
): Promise<PendingChange> {
  const { key, owner, projectID } = scope;
  const { provisioning_status: state } = loadBalancer;
  // Octavia does not allow a change while another is in progress.
  if (state.startsWith('PENDING_')) return 'build';
  const isHost = serviceOwner(loadBalancer, projectID)?.serviceUid === owner.serviceUid;
  const [successor] = isHost ? successorsOf(scope, loadBalancer) : [];
  // In ERROR it accepts no changes: its next owner would have to recreate it as well.
  if (isHost && (successor === undefined || state === 'ERROR')) {
    // Another Service that shares it may be changing it right now.
    const isDone = await memory.alone(loadBalancer.id, () => deleteLoadBalancer(scope, loadBalancer.id, memory));
    return isDone ? 'deletion' : 'build';
  }
  if (state !== 'ACTIVE') return 'build';
  const hosted = { ...scope, hostKey: hostKeyOf(loadBalancer, projectID) };
  const tree = await observeTree(hosted, loadBalancer, memory);
  const plan = planLoadBalancer(NOTHING, tree, { isOwn: () => true });
  if (plan.kind === 'act') {
    await changeTree(hosted, plan.action, tree, memory);
    return 'update';
  }
  if (isHost && successor) await inherit(hosted, loadBalancer, successor, kept, memory);
  else await changeTags(hosted, loadBalancer, withoutSharer(scope, loadBalancer), memory);
  memory.forget(key);
  return 'update';
}

async function inherit(
  scope: ServiceScope,
  loadBalancer: LoadBalancer,
  successor: Service,
  kept: { readonly as: string } | undefined,
  memory: TreeMemory,
): Promise<void> {
  const { cloud, key, owner } = scope;
  const next = { clusterUid: owner.clusterUid, serviceUid: successor.metadata.uid ?? '' };
  await handOverFloatingIps(scope, loadBalancer.vip_port_id ?? '', next, kept);
  const gone = new Set([...serviceTags(owner), sharerTag(next), scope.upstream?.tag]);
  const others = loadBalancer.tags.filter((tag) => !gone.has(tag));
  const tags = [...new Set([...serviceTags(next), ...others])];
  const nextKey = hostKeyOf({ ...loadBalancer, tags }, scope.projectID);
  const isDone = await changeTags({ ...scope, hostKey: nextKey }, loadBalancer, tags, memory);
  if (isDone) cloud.ledgers.loadBalancers.forget(key);
}

/** A load balancer not created by a cluster loses Fairway's mark with its last user. */
function withoutSharer({ owner, projectID, upstream }: ServiceScope, loadBalancer: LoadBalancer): readonly string[] {
  const tags = loadBalancer.tags.filter((tag) => tag !== sharerTag(owner) && tag !== upstream?.tag);
  const isInUse =
    clusterOfTags(loadBalancer, projectID) !== undefined || sharersOf({ ...loadBalancer, tags }, projectID).length > 0;
  return isInUse ? tags : tags.filter((tag) => tag !== FAIRWAY_TAG);
}
