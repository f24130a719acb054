import { ConditionReason } from '@fairway/api/conditions';
import { shouldHaveNoNodes } from '@fairway/api/domain/reset';
import { FORCE_DRAIN_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';
import type { Problem } from '@fairway/tenancy/problem';
import { blockingBudgets, describeBlockingBudgets } from './pod-budgets.ts';
import { type DrainState, namesOf } from './pod-eviction.ts';
import type { MachineScope } from './scope.ts';

/**
 * Whether a user wants this drain to stop waiting for pods. If the annotation's value is a time, it applies
 * only to drains that started before then, so the next drain waits again.
 */
export function isForced({ metadata }: Machine, startTime: string | undefined): boolean {
  const value = metadata.annotations?.[FORCE_DRAIN_ANNOTATION];
  if (value === undefined) return false;
  const forcedMs = Date.parse(value);
  const beganMs = Date.parse(startTime ?? '');
  return Number.isNaN(forcedMs) || Number.isNaN(beganMs) || beganMs <= forcedMs;
}

/**
 * Whether the drain of a node being updated continues to wait for the user after its timeout: only if the node works,
 * and its pool is configured to hold drains. A repair, the deletion of the pool or cluster, and the deletion of the
 * Machine by a user never wait longer than the timeout. A timeout set by the plan is never exceeded either.
 */
export function mayBeHeld(scope: MachineScope): boolean {
  const { machine, cluster, pool, plan, node } = scope;
  if (machine.status?.marks?.repair?.due) return false;
  if (pool?.spec.upgradeStrategy.onDrainTimeout !== 'Hold' || plan?.spec.maxDrainTimeout !== undefined) return false;
  if (pool.metadata.deletionTimestamp !== undefined || shouldHaveNoNodes(cluster)) return false;
  // A node whose kubelet does not respond can no longer terminate pods.
  return node === undefined || !hasFailed(node, scope.now());
}

/**
 * How long a kubelet may be silent or unhealthy: restarting it or the API server must not end a hold that has lasted
 * for days.
 */
const KUBELET_GRACE_MS = 600_000;

function hasFailed(node: TenantNode, nowMs: number): boolean {
  const { status, lastTransitionTime = '' } = nodeReadyCondition(node) ?? {};
  const isWithinGracePeriod = nowMs < Date.parse(lastTransitionTime) + KUBELET_GRACE_MS;
  return status !== 'True' && !isWithinGracePeriod;
}

/** Which pods remain on a node, and whose PodDisruptionBudgets block them. Rejects with the tenant's error. */
export async function describeRemainingPods(
  { signal }: MachineScope,
  client: KubeClient,
  { remaining, blocked }: DrainState,
): Promise<string> {
  if (blocked.length === 0) return `${namesOf(remaining)} did not terminate`;
  return describeBlockingBudgets(await blockingBudgets(client, blocked, signal));
}

/**
 * What a held drain is waiting for. The message is the same as long as the same pods remain. Rejects with the tenant's
 * error.
 */
export async function heldProblem(
  scope: MachineScope,
  client: KubeClient,
  state: DrainState,
  sinceMs: number,
): Promise<Problem> {
  const what = await describeRemainingPods(scope, client, state);
  const advice = `to remove the node together with them: fairway machine drain ${scope.machine.metadata.name} --force`;
  const message = `the drain timed out and has been held since ${formatTime(sinceMs)} (onDrainTimeout: Hold): ${what}; ${advice}`;
  return { reason: ConditionReason.DrainHeld, message };
}
