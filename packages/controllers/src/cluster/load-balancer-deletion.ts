import type { CallOptions } from '@fairway/openstack/service-api';
import { balancingOfCluster, hasLoadBalancers } from '@fairway/tenancy/cloud/balancing';
import type { ClusterOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { leaveOthersBalancers } from './guest-deletion.ts';
import type { Leftover } from './leftover.ts';

/** While none is known to be left. */
const MAX_AGE_MS = 60_000;
/** Octavia takes its time, and a load balancer that hangs does so for hours. */
const LOOK_AGAIN_MS = 10_000;

/** Deletes the load balancers of a cluster's Services, each with all that is in it, and what they have in those of others. Returns what is left. The ports of their addresses keep the network from going. */
export async function deleteLoadBalancers(
  cloud: ProjectCloud,
  { projectID, clusterUid }: ClusterOwner,
  options: CallOptions,
): Promise<Leftover | undefined> {
  if (!(await hasLoadBalancers(cloud))) return undefined;
  const { cache, ledgers } = cloud;
  const ledger = ledgers.loadBalancers;
  const seen = balancingOfCluster(cache.loadBalancers.snapshot(), projectID, clusterUid);
  const maxAgeMs = seen.length > 0 ? 0 : MAX_AGE_MS;
  const listed = await cache.loadBalancers.refreshAfter(cloud.completeFromMs(ledger, maxAgeMs));
  const present = balancingOfCluster(listed, projectID, clusterUid);
  const { loadBalancers } = cloud.client.loadBalancing;
  for (const { id, provisioning_status: state } of present) {
    // Octavia lets nobody delete what it is at work on.
    if (state.startsWith('PENDING_') || ledger.isDeleting(id, listed.listedAtMs ?? 0)) continue;
    await cloud.remove(ledger, id, () => loadBalancers.deleteCascade(id, options));
  }
  if (present.length === 0) return leaveOthersBalancers(cloud, { projectID, clusterUid }, options);
  return { what: `${present.length} load balancers`, retryAfterMs: LOOK_AGAIN_MS };
}
