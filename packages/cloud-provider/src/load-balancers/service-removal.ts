import { releaseFloatingIps } from './floating-ip.ts';
import type { LoadBalancerWatch } from './load-balancer-watch.ts';
import { observeLoadBalancers, observeShared } from './observation.ts';
import { releaseLoadBalancer } from './release-load-balancer.ts';
import type { ServiceScope } from './service-scope.ts';
import type { TreeMemory } from './tree-memory.ts';

/**
 * Deletes what Fairway created for a Service that no longer needs it: its load balancer, unless shared, and its parts of shared ones. Returns whether all of
 * it is deleted, or when to check again. `kept`: the floating IP stays in the project with this description.
 */
export async function removeFromLoadBalancers(
  scope: ServiceScope,
  kept: { readonly as: string } | undefined,
  { watch, memory }: { readonly watch: LoadBalancerWatch; readonly memory: TreeMemory },
): Promise<{ readonly isGone: boolean; readonly againInMs?: number }> {
  const { cloud, key } = scope;
  const { present, going } = await observeLoadBalancers(scope);
  const used = [...present, ...observeShared(scope)];
  if (used.length + going > 0) {
    watch.begin(cloud, key);
    if (going > 0) watch.expect(cloud, key, 'deletion');
    let isOwnLeft = false;
    for (const loadBalancer of used) {
      const pending = await releaseLoadBalancer(scope, loadBalancer, kept, memory);
      if (pending !== 'deletion') isOwnLeft ||= present.includes(loadBalancer);
      if (pending === 'update') watch.settle(key, 'update');
      watch.expect(cloud, key, pending, loadBalancer);
      // Only one tree is known at a time.
      if (pending === 'update') break;
    }
    // A successor may still take it.
    if (!isOwnLeft) await releaseFloatingIps(scope, kept);
    return { isGone: false };
  }
  await releaseFloatingIps(scope, kept);
  const waitMs = cloud.trustedFromMs - cloud.now();
  // Requests of an interrupted run may still take effect.
  return waitMs > 0 ? { isGone: false, againInMs: waitMs + 1 } : { isGone: true };
}
