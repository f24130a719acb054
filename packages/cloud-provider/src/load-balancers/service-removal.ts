import type { BalancingWatch } from './balancing-watch.ts';
import { releaseFloatingIps } from './floating-ip.ts';
import { leaveBalancer } from './leave-balancer.ts';
import { seeBalancers, seeShared } from './observation.ts';
import type { ServiceScope } from './service-scope.ts';
import type { TreeMemory } from './tree-memory.ts';

/**
 * Takes away what Fairway has made for a Service that has no use for it: its load balancer, unless others use it too, and what it has in theirs. Returns whether all
 * of it is gone, or when to look again. `kept`: its floating IP stays in the project, described so.
 */
export async function removeFromBalancers(
  scope: ServiceScope,
  kept: { readonly as: string } | undefined,
  { watch, memory }: { readonly watch: BalancingWatch; readonly memory: TreeMemory },
): Promise<{ readonly isGone: boolean; readonly againInMs?: number }> {
  const { cloud, key } = scope;
  const { present, going } = await seeBalancers(scope);
  const used = [...present, ...seeShared(scope)];
  if (used.length + going > 0) {
    watch.begin(cloud, key);
    if (going > 0) watch.expect(cloud, key, 'deletion');
    let isOwnLeft = false;
    for (const loadBalancer of used) {
      const awaited = await leaveBalancer(scope, loadBalancer, kept, memory);
      if (awaited !== 'deletion') isOwnLeft ||= present.includes(loadBalancer);
      if (awaited === 'update') watch.settle(key, 'update');
      watch.expect(cloud, key, awaited, loadBalancer);
      // What is known of trees is of one at a time.
      if (awaited === 'update') break;
    }
    // An heir may still get it.
    if (!isOwnLeft) await releaseFloatingIps(scope, kept);
    return { isGone: false };
  }
  await releaseFloatingIps(scope, kept);
  const waitMs = cloud.trustedFromMs - cloud.now();
  // What an interrupted run has asked for may still appear.
  return waitMs > 0 ? { isGone: false, againInMs: waitMs + 1 } : { isGone: true };
}
