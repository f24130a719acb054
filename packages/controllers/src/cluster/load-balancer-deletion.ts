import { ConditionReason } from '@fairway/api/conditions';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { hasLoadBalancers, loadBalancersOfCluster } from '@fairway/tenancy/cloud/load-balancers';
import type { ClusterOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import { firstNames } from '../waits.ts';
import { leaveSharedLoadBalancers } from './guest-deletion.ts';
import {
  type DeletionOptions,
  displayName,
  joinHeld,
  type RemainingResources,
  refused,
  removeEach,
} from './remaining-resources.ts';

/** Maximum age of the lists while no remaining load balancer is known. */
const MAX_AGE_MS = 60_000;
/** Octavia is slow, and a stuck load balancer stays stuck for hours. */
const RESYNC_INTERVAL_MS = 10_000;

/**
 * Deletes the load balancers of a cluster's Services, with their contents, and the cluster's parts of load balancers
 * that have other owners. Returns what remains. The ports of their addresses block the deletion of the network.
 */
export async function deleteLoadBalancers(
  cloud: ProjectCloud,
  { projectID, clusterUid }: ClusterOwner,
  options: DeletionOptions,
): Promise<RemainingResources | undefined> {
  if (!(await hasLoadBalancers(cloud))) return undefined;
  const { cache, ledgers } = cloud;
  const ledger = ledgers.loadBalancers;
  const seen = loadBalancersOfCluster(cache.loadBalancers.snapshot(), projectID, clusterUid);
  const maxAgeMs = seen.length > 0 ? 0 : MAX_AGE_MS;
  const listed = await cache.loadBalancers.refreshAfter(cloud.completeFromMs(ledger, maxAgeMs));
  const present = loadBalancersOfCluster(listed, projectID, clusterUid);
  if (present.length === 0) return leaveSharedLoadBalancers(cloud, { projectID, clusterUid }, options);
  const { loadBalancers } = cloud.client.loadBalancing;
  const isDeletionRequested = ({ id }: LoadBalancer) => ledger.isDeleting(id, listed.listedAtMs ?? 0);
  // Octavia rejects the deletion of immutable load balancers.
  const held = await removeEach(
    present.filter((each) => !isPending(each) && !isDeletionRequested(each)),
    ({ id }) => cloud.remove(ledger, id, () => loadBalancers.deleteCascade(id, options)),
    (balancer, refusal) => {
      cache.loadBalancers.invalidate();
      return refusal.kind === 'conflict' ? loadBalancerHold(balancer) : refused('load balancer', balancer, refusal);
    },
  );
  const slow = options.isLate ? present.filter((each) => isPending(each)).map(loadBalancerHold) : [];
  const names = present.map((each) => `${displayName('load balancer', each)}, which is ${each.provisioning_status}`);
  return { what: firstNames(names), retryAfterMs: RESYNC_INTERVAL_MS, held: joinHeld([held, ...slow]) };
}

function isPending({ provisioning_status: state }: LoadBalancer): boolean {
  return state.startsWith('PENDING_');
}

/** Octavia reports it as immutable: Fairway retries as soon as it is mutable again. */
export function loadBalancerHold(balancer: LoadBalancer): Problem {
  const state = isPending(balancer) ? balancer.provisioning_status : 'immutable';
  const what = `${displayName('load balancer', balancer)} is ${state}: Octavia must finish changing it before it can be deleted`;
  const message = `${what}; if this persists, the cloud operator must check octavia-worker and set its provisioning_status to ERROR in Octavia's database; Fairway then deletes it`;
  return { reason: ConditionReason.CloudBusy, message };
}
