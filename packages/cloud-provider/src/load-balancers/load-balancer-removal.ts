import { deleteLoadBalancer } from './change-tree.ts';
import { releaseFloatingIps } from './floating-ip.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { LoadBalancerWatch } from './load-balancer-watch.ts';
import { observeLoadBalancers } from './observation.ts';
import type { TreeMemory } from './tree-memory.ts';

/**
 * Deletes what Fairway created for an owner that no longer needs it. Returns whether everything is deleted, or when to
 * check again. With `kept`, the floating IP stays in the project with this description.
 */
export async function removeLoadBalancer(
  scope: LoadBalancerScope,
  kept: { readonly as: string } | undefined,
  { watch, memory }: { readonly watch: LoadBalancerWatch; readonly memory: TreeMemory },
): Promise<{ readonly isDeleted: boolean; readonly requeueAfterMs?: number }> {
  const { cloud, key } = scope;
  const { present, deletingCount } = await observeLoadBalancers(scope);
  for (const { id, provisioning_status: state } of present) {
    // Octavia does not allow deletion while a change is in progress.
    if (!state.startsWith('PENDING_')) await deleteLoadBalancer(scope, id, memory);
  }
  await releaseFloatingIps(scope, kept);
  if (present.length + deletingCount > 0) {
    watch.begin(cloud, key);
    const pending = present.find(({ provisioning_status: state }) => state.startsWith('PENDING_'));
    watch.expect(cloud, key, pending ? 'build' : 'deletion', pending ?? present[0]);
    return { isDeleted: false };
  }
  const waitMs = cloud.trustedFromMs - cloud.now();
  // Requests of an interrupted run may still take effect.
  return waitMs > 0 ? { isDeleted: false, requeueAfterMs: waitMs + 1 } : { isDeleted: true };
}
