import { ConditionReason } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { drainTimeoutMs } from '@fairway/api/domain/drain-timeout';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { formatTime } from '@fairway/base/clock';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { nodeReadyCondition, tenantNodes } from '@fairway/tenancy/connection/node';
import { ofTenant, tenantProblemOf } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { deletePods, evictPods } from './pod-eviction.ts';
import type { MachineScope } from './scope.ts';

/** Poll interval of a drain: pods take seconds to stop, and budgets free up when others become ready. */
export const DRAIN_INTERVAL_MS = 2_000;
/** How long PodDisruptionBudgets may block a drain where neither pool nor plan are there to say (OVHcloud's limit). */
const DEFAULT_DRAIN_TIMEOUT_MS = 600_000;
/** How long pods have to end when their cluster hibernates: six times their usual grace period. */
const HIBERNATION_DRAIN_TIMEOUT_MS = 180_000;

/** How long the tenant's cluster may still hold up a drain that began then. */
export function drainTimeLeftMs(scope: MachineScope, startTime: string | undefined): number {
  const { cluster, pool, plan, dependencies } = scope;
  const usualMs = drainTimeoutMs(pool?.spec, plan?.spec) ?? DEFAULT_DRAIN_TIMEOUT_MS;
  const limitMs = isHibernationWanted(cluster) ? Math.min(usualMs, HIBERNATION_DRAIN_TIMEOUT_MS) : usualMs;
  return Date.parse(startTime ?? '') + limitMs - dependencies.clock.now();
}

/**
 * Cordons the node and evicts its pods, once. Returns what the drain waits for; undefined when the node is drained or gone, or the time is over: then the
 * pods that could not leave are left behind. Of a node whose kubelet does not answer pods that are being deleted are not waited for: nobody
 * there takes them down, and what becomes of the server does.
 *
 * @param goal What happens to the server then, for people: `the server goes`.
 */
export async function drainNode(
  scope: MachineScope,
  startTime: string | undefined,
  goal: string,
): Promise<Problem | undefined> {
  const { node, tenant, signal } = scope;
  if (scope.isNodeKnown && node === undefined) return undefined;
  const leftMs = drainTimeLeftMs(scope, startTime);
  if (leftMs <= 0) return undefined;
  if (node === undefined || tenant === undefined) {
    return { reason: ConditionReason.Draining, message: 'the API server of the cluster is not connected yet' };
  }
  try {
    if (!node.spec?.unschedulable) await setCordon(scope, true);
    const waitsForLeaving = nodeReadyCondition(node)?.status !== 'Unknown';
    const clear = isHibernationWanted(scope.cluster) ? deletePods : evictPods;
    const clearing = clear(tenant.client, node.metadata.name ?? '', { waitsForLeaving, signal });
    const { remaining, blocked } = await ofTenant(clearing);
    if (remaining === 0) return undefined;
    const left = `${goal} at ${formatTime(scope.now() + leftMs)} at the latest`;
    return blocked.length > 0
      ? {
          reason: ConditionReason.PodDisruptionBudget,
          message: `a PodDisruptionBudget keeps ${blocked.join(', ')}: run more replicas, or loosen the budget; ${left}`,
        }
      : { reason: ConditionReason.Draining, message: `${counted(remaining, 'pod')} still to leave the node; ${left}` };
  } catch (error) {
    const problem = tenantProblemOf(error);
    if (problem === undefined) throw error;
    return { ...problem, message: `${problem.message}; trying again` };
  }
}

/** Cordons or uncordons the node, if it is there. Rejects with the tenant's error. */
export async function setCordon({ node, tenant, signal }: MachineScope, isCordoned: boolean): Promise<void> {
  if (node === undefined || tenant === undefined) return;
  const patch = { type: 'strategic' as const, value: { spec: { unschedulable: isCordoned ? true : null } } };
  await ofTenant(ignoreGone(tenant.client.resource(tenantNodes).patch(node.metadata.name ?? '', patch, { signal })));
}
