import { ConditionReason } from '@fairway/api/conditions';
import { isWithoutNodes } from '@fairway/api/domain/reset';
import { FORCE_DRAIN_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';
import type { Problem } from '@fairway/tenancy/problem';
import { describeKeepers, keepersOf } from './pod-budgets.ts';
import { type DrainState, namesOf } from './pod-eviction.ts';
import type { MachineScope } from './scope.ts';

/** Whether a person wants this drain to wait for no pod. A time is about drains that began before it, so that the next one is patient again. */
export function isForced({ metadata }: Machine, startTime: string | undefined): boolean {
  const value = metadata.annotations?.[FORCE_DRAIN_ANNOTATION];
  if (value === undefined) return false;
  const forcedMs = Date.parse(value);
  const beganMs = Date.parse(startTime ?? '');
  return Number.isNaN(forcedMs) || Number.isNaN(beganMs) || beganMs <= forcedMs;
}

/**
 * Whether the drain of a node that is renewed goes on to wait for the user when its time is over: that of one which works, and whose pool says so. A repair, whatever ends the pool
 * or the cluster, and a person who deletes the Machine wait no longer than the limit; neither does a plan that sets one.
 */
export function mayBeHeld(scope: MachineScope): boolean {
  const { machine, cluster, pool, plan, node } = scope;
  if (machine.status?.marks?.repair?.due) return false;
  if (pool?.spec.upgradeStrategy.onDrainTimeout !== 'Hold' || plan?.spec.maxDrainTimeout !== undefined) return false;
  if (pool.metadata.deletionTimestamp !== undefined || isWithoutNodes(cluster)) return false;
  // Whose kubelet does not answer, nothing can be asked of any more.
  return node === undefined || !hasFailed(node, scope.now());
}

/** For how long a kubelet may be silent, or ill: a restart of it, or of the API server, ends no hold of days. */
const PATIENCE_MS = 600_000;

function hasFailed(node: TenantNode, nowMs: number): boolean {
  const { status, lastTransitionTime = '' } = nodeReadyCondition(node) ?? {};
  const isPatient = nowMs < Date.parse(lastTransitionTime) + PATIENCE_MS;
  return status !== 'True' && !isPatient;
}

/** What a held drain waits for: the same words as long as the same pods stay. Rejects with the tenant's error. */
export async function heldProblem(
  { machine, signal }: MachineScope,
  client: KubeClient,
  { remaining, blocked }: DrainState,
  sinceMs: number,
): Promise<Problem> {
  const keepers = blocked.length > 0 ? await keepersOf(client, blocked, signal) : undefined;
  const what = keepers === undefined ? `${namesOf(remaining)} do not end` : describeKeepers(keepers);
  const way = `to have the node go with them: fairway machine drain ${machine.metadata.name} --force`;
  const message = `the drain is held since ${formatTime(sinceMs)}, when its time was over (onDrainTimeout: Hold): ${what}; ${way}`;
  return { reason: ConditionReason.DrainHeld, message };
}
