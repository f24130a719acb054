import { releaseFloatingIps } from './floating-ip.ts';
import type { LoadBalancerWatch } from './load-balancer-watch.ts';
import { observeLoadBalancers, observeShared } from './observation.ts';
import { releaseLoadBalancer } from './release-load-balancer.ts';
import type { ServiceScope } from './service-scope.ts';
import type { TreeMemory } from './tree-memory.ts';

/**
 * Deletes what Fairway created for a Service that no longer needs it: the Service's load balancer, unless shared, and
 * the Service's parts of shared ones. Returns whether everything is deleted, or when to check again. With `kept`, the
 * floating IP stays in the project with this description.
 */
export async function removeFromLoadBalancers(
  scope: ServiceScope,
  kept: { readonly as: string } | undefined,
  { watch, memory }: { readonly watch: LoadBalancerWatch; readonly memory: TreeMemory },
): Promise<{ readonly isDeleted: boolean; readonly requeueAfterMs?: number }> {
  const { cloud, key } = scope;
  const { present, deletingCount } = await observeLoadBalancers(scope);
  const used = [...present, ...observeShared(scope)];
  if (used.length + deletingCount > 0) {
    watch.begin(cloud, key);
    if (deletingCount > 0) watch.expect(cloud, key, 'deletion');
    let hasOwnLeft = false;
    for (const loadBalancer of used) {
      const pending = await releaseLoadBalancer(scope, loadBalancer, kept, memory);
      if (pending !== 'deletion') hasOwnLeft ||= present.includes(loadBalancer);
      if (pending === 'update') watch.settle(key, 'update');
      watch.expect(cloud, key, pending, loadBalancer);
      // Only one tree is known at a time.
      if (pending === 'update') break;
    }
    // A successor may still take over the load balancer with its floating IP.
    if (!hasOwnLeft) await releaseFloatingIps(scope, kept);
    return { isDeleted: false };
  }
  await releaseFloatingIps(scope, kept);
  const waitMs = cloud.trustedFromMs - cloud.now();
  // Requests of an interrupted run may still take effect.
  return waitMs > 0 ? { isDeleted: false, requeueAfterMs: waitMs + 1 } : { isDeleted: true };
}
