import { actionRequiredBy, ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Problem } from '@fairway/tenancy/problem';

/** A machine that is up to date but does not work, and the time at which it counted as failed. */
export interface FailedMachine {
  readonly machine: Machine;
  readonly atMs: number;
  readonly why: string;
}

/** The first updated machine that has not become a node in time, or has not come back. Pure. */
export function failedNewNode(
  renewed: readonly Machine[],
  {
    timeoutMs,
    retriedAtMs,
    nowMs,
  }: { readonly timeoutMs: number; readonly retriedAtMs: number; readonly nowMs: number },
): FailedMachine | undefined {
  const failed = renewed.flatMap((machine) => {
    const atMs = failsAtMs(machine, timeoutMs);
    if (atMs === undefined || atMs > nowMs || atMs <= retriedAtMs) return [];
    const why = findCondition(machine.status?.conditions, ConditionType.Ready)?.message ?? '';
    return [{ machine, atMs, why }];
  });
  return failed.toSorted((a, b) => a.atMs - b.atMs)[0];
}

/** When the next machine will count as failed unless it becomes ready; undefined if all are ready or have failed. */
export function nextFailureMs(renewed: readonly Machine[], timeoutMs: number, nowMs: number): number | undefined {
  const times = renewed.map((machine) => failsAtMs(machine, timeoutMs)).filter((ms) => ms !== undefined && ms > nowMs);
  return times.length === 0 ? undefined : Math.min(...(times as number[]));
}

function failsAtMs({ status }: Machine, timeoutMs: number): number | undefined {
  if (status?.phase === 'Ready') return undefined;
  const { startup, readyTime, notReadyTime } = status ?? {};
  if (startup?.timedOutTime !== undefined) return Date.parse(startup.timedOutTime);
  if (readyTime === undefined || notReadyTime === undefined) return undefined;
  return Date.parse(notReadyTime) + timeoutMs;
}

/** What a machine is waiting for outside Fairway, such as a quota or a PodDisruptionBudget. */
export function machineProblem(machine: Machine): Problem | undefined {
  const ready = findCondition(machine.status?.conditions, ConditionType.Ready);
  if (ready === undefined || ready.status === 'True') return undefined;
  const reason = ready.reason as ConditionReason;
  if (actionRequiredBy(reason) === 'fairway' || reason === ConditionReason.NodeStartupTimeout) return undefined;
  return { reason, message: `${machine.metadata.name}: ${ready.message}` };
}
