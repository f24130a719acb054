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

const NO_VIP = { subnetID: undefined, networkID: undefined, portID: undefined, address: undefined };
const EMPTY_LOAD_BALANCER: DesiredLoadBalancer = {
  name: '',
  description: '',
  tags: [],
  provider: undefined,
  vip: NO_VIP,
  place: NO_VIP,
  flavorID: undefined,
  availabilityZone: undefined,
  ports: [],
};

/** What to wait for: the deletion in Octavia or another change. */
export type PendingChange = 'deletion' | 'update' | 'build';

/**
 * Takes one step to release a load balancer from a Service. If nothing else uses the load balancer, it is deleted.
 * Otherwise the Service's parts are removed, and then the Service's mark: the first successor becomes the owner of the
 * load balancer and its floating IP, and the name stays the same. `kept` is the description of a floating IP to keep.
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
  // A load balancer in ERROR accepts no changes, so its next owner would have to recreate it too.
  if (isHost && (successor === undefined || state === 'ERROR')) {
    // Another Service that shares the load balancer may be changing it.
    const isDone = await memory.runExclusively(loadBalancer.id, () =>
      deleteLoadBalancer(scope, loadBalancer.id, memory),
    );
    return isDone ? 'deletion' : 'build';
  }
  if (state !== 'ACTIVE') return 'build';
  const hostScope = { ...scope, hostKey: hostKeyOf(loadBalancer, projectID) };
  const tree = await observeTree(hostScope, loadBalancer, memory);
  const plan = planLoadBalancer(EMPTY_LOAD_BALANCER, tree, { isOwn: () => true });
  if (plan.kind === 'act') {
    await changeTree(hostScope, plan.action, tree, memory);
    return 'update';
  }
  if (isHost && successor) await handOver(hostScope, loadBalancer, successor, kept, memory);
  else await changeTags(hostScope, loadBalancer, tagsWithoutSharer(scope, loadBalancer), memory);
  memory.forget(key);
  return 'update';
}

async function handOver(
  scope: ServiceScope,
  loadBalancer: LoadBalancer,
  successor: Service,
  kept: { readonly as: string } | undefined,
  memory: TreeMemory,
): Promise<void> {
  const { cloud, key, owner } = scope;
  const next = { clusterUid: owner.clusterUid, serviceUid: successor.metadata.uid ?? '' };
  await handOverFloatingIps(scope, loadBalancer.vip_port_id ?? '', next, kept);
  const removedTags = new Set([...serviceTags(owner), sharerTag(next), scope.upstream?.tag]);
  const others = loadBalancer.tags.filter((tag) => !removedTags.has(tag));
  const tags = [...new Set([...serviceTags(next), ...others])];
  const nextKey = hostKeyOf({ ...loadBalancer, tags }, scope.projectID);
  const isDone = await changeTags({ ...scope, hostKey: nextKey }, loadBalancer, tags, memory);
  if (isDone) cloud.ledgers.loadBalancers.forget(key);
}

/** A load balancer that no cluster created loses Fairway's mark when its last user releases it. */
function tagsWithoutSharer(
  { owner, projectID, upstream }: ServiceScope,
  loadBalancer: LoadBalancer,
): readonly string[] {
  const tags = loadBalancer.tags.filter((tag) => tag !== sharerTag(owner) && tag !== upstream?.tag);
  const isInUse =
    clusterOfTags(loadBalancer, projectID) !== undefined || sharersOf({ ...loadBalancer, tags }, projectID).length > 0;
  return isInUse ? tags : tags.filter((tag) => tag !== FAIRWAY_TAG);
}
