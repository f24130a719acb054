import type { BalancerScope } from './balancer-scope.ts';
import type { BalancingWatch } from './balancing-watch.ts';
import { deleteBalancer } from './change-tree.ts';
import { releaseFloatingIps } from './floating-ip.ts';
import { seeBalancers } from './observation.ts';
import type { TreeMemory } from './tree-memory.ts';

/**
 * Deletes what Fairway has made for somebody who has no use for it. Returns whether all of it is gone, or when to look again. `kept`: its floating IP stays in the
 * project, described so.
 */
export async function removeBalancer(
  scope: BalancerScope,
  kept: { readonly as: string } | undefined,
  { watch, memory }: { readonly watch: BalancingWatch; readonly memory: TreeMemory },
): Promise<{ readonly isGone: boolean; readonly againInMs?: number }> {
  const { cloud, key } = scope;
  const { present, going } = await seeBalancers(scope);
  for (const { id, provisioning_status: state } of present) {
    // Octavia lets nobody delete what it is at work on.
    if (!state.startsWith('PENDING_')) await deleteBalancer(scope, id, memory);
  }
  await releaseFloatingIps(scope, kept);
  if (present.length + going > 0) {
    watch.begin(cloud, key);
    const pending = present.find(({ provisioning_status: state }) => state.startsWith('PENDING_'));
    watch.expect(cloud, key, pending ? 'build' : 'deletion', pending ?? present[0]);
    return { isGone: false };
  }
  const waitMs = cloud.trustedFromMs - cloud.now();
  // What an interrupted run has asked for may still appear.
  return waitMs > 0 ? { isGone: false, againInMs: waitMs + 1 } : { isGone: true };
}
