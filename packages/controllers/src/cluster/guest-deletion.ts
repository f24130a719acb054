import { ConditionReason } from '@fairway/api/conditions';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { loadBalancersOfCluster, loadBalancersOfSharer } from '@fairway/tenancy/cloud/load-balancers';
import { type ClusterOwner, FAIRWAY_TAG, sharersOf, sharerTag } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import { firstNames } from '../waits.ts';
import {
  type DeletionOptions,
  displayName,
  joinHeld,
  type RemainingResources,
  removeEach,
} from './remaining-resources.ts';

/** Each change makes the load balancer immutable for a while. */
const RESYNC_INTERVAL_MS = 10_000;

/**
 * Removes the parts of a cluster's Services from load balancers that no cluster created, and their ownership tags: one
 * change each. The load balancers themselves have another owner and are retained. Returns what remains.
 */
export async function leaveSharedLoadBalancers(
  cloud: ProjectCloud,
  owner: ClusterOwner,
  options: DeletionOptions,
): Promise<RemainingResources | undefined> {
  const listed = cloud.cache.loadBalancers.snapshot();
  const used = loadBalancersOfSharer(listed, owner.projectID, owner.clusterUid);
  const isActive = ({ provisioning_status: state }: LoadBalancer) => state === 'ACTIVE';
  const held = await removeEach(
    used.filter(isActive),
    (loadBalancer) => removeFromLoadBalancer(cloud, owner, loadBalancer, options),
    (loadBalancer) => heldListeners(loadBalancer, 'immutable'),
  );
  if (used.length === 0) return undefined;
  const slow = options.isLate ? used.filter((each) => !isActive(each)) : [];
  const waiting = slow.map((each) => heldListeners(each, each.provisioning_status));
  const names = used.map((each) => `${displayName('load balancer', each)}, which is ${each.provisioning_status}`);
  const what = `the cluster's listeners in ${firstNames(names)} (a load balancer that it does not own)`;
  return { what, retryAfterMs: RESYNC_INTERVAL_MS, held: joinHeld([held, ...waiting]) };
}

/** A load balancer in ERROR accepts no changes until its owner has it repaired. */
function heldListeners(loadBalancer: LoadBalancer, state: string): Problem {
  const { id } = loadBalancer;
  const message = `the cluster has listeners in ${displayName('load balancer', loadBalancer)}, which it does not own and which is ${state}: Octavia accepts no changes; to repair one in ERROR: openstack loadbalancer failover ${id}; otherwise the cloud operator must check Octavia`;
  return { reason: ConditionReason.CloudBusy, message };
}

async function removeFromLoadBalancer(
  cloud: ProjectCloud,
  owner: ClusterOwner,
  loadBalancer: LoadBalancer,
  options: CallOptions,
): Promise<void> {
  const { cache, ledgers, client } = cloud;
  const { loadBalancers, listeners, pools } = client.loadBalancing;
  const sinceMs = cloud.now();
  cache.loadBalancers.invalidate();
  const [pool] = partsIn(await cache.pools.refreshAfter(sinceMs), owner, loadBalancer);
  if (pool) return cloud.remove(ledgers.pools, pool.id, () => pools.delete(pool.id, options));
  const [listener] = partsIn(await cache.listeners.refreshAfter(sinceMs), owner, loadBalancer);
  if (listener) return cloud.remove(ledgers.listeners, listener.id, () => listeners.delete(listener.id, options));
  const sharingProjects = sharersOf(loadBalancer, owner.projectID);
  const own = new Set(sharingProjects.filter(({ clusterUid }) => clusterUid === owner.clusterUid).map(sharerTag));
  const isLast = own.size === sharingProjects.length;
  const tags = loadBalancer.tags.filter((tag) => !own.has(tag) && !(isLast && tag === FAIRWAY_TAG));
  await loadBalancers.update(loadBalancer.id, { tags }, options);
}

function partsIn<
  T extends { readonly id: string; readonly tags: string[]; readonly project_id: string } & LoadBalancerPart,
>(
  listed: { readonly items: ReadonlyMap<string, T> },
  { projectID, clusterUid }: ClusterOwner,
  { id }: LoadBalancer,
): readonly T[] {
  const parts = loadBalancersOfCluster(listed, projectID, clusterUid);
  return parts.filter(({ loadbalancers }) => loadbalancers.some((each) => each.id === id));
}

interface LoadBalancerPart {
  readonly loadbalancers: readonly { readonly id: string }[];
}
