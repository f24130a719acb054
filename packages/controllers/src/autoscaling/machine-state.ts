import { actionRequiredBy, ConditionReason, ConditionType, isOutage } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import { isNodeReady, type TenantNode } from '@fairway/tenancy/connection/node';
import type { Problem } from '@fairway/tenancy/problem';

/** The state of a machine for autoscaling. */
export type MachineState =
  /** The machine is being deleted. */
  | { readonly kind: 'leaving' }
  /** The machine is a node, which may have stopped working. */
  | { readonly kind: 'node'; readonly isReady: boolean }
  /** The machine will become a node, or become one again: pods can wait for it until `dueMs`. */
  | { readonly kind: 'upcoming'; readonly dueMs: number }
  /** The machine cannot become a node, or takes too long. */
  | { readonly kind: 'failed'; readonly problem: Problem };

/**
 * The state of a machine according to its own status and its node. A node being repaired or updated will return.
 * `timeoutMs`: `provisionTimeoutMs` of its pool.
 */
export function machineState(
  machine: Machine,
  node: TenantNode | undefined,
  { nowMs, timeoutMs }: { readonly nowMs: number; readonly timeoutMs: number },
): MachineState {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined) return { kind: 'leaving' };
  const isReady = node !== undefined && isNodeReady(node);
  const dueMs = Date.parse(metadata.creationTimestamp ?? '') + timeoutMs;
  const upcoming = { kind: 'upcoming', dueMs } as const;
  if (status?.marks?.repair?.due || status?.marks?.renewal?.due) return upcoming;
  // The node's kubelet has not reported its resources yet.
  if (isReady && node.status?.allocatable === undefined) return upcoming;
  if (node !== undefined && (isReady || status?.readyTime !== undefined)) return { kind: 'node', isReady };
  if (status?.readyTime !== undefined) return upcoming;
  const problem = problemOf(machine) ?? (nowMs < dueMs ? undefined : startupTimeoutProblem(timeoutMs));
  return problem ? { kind: 'failed', problem } : upcoming;
}

/**
 * Problems that someone other than Fairway must solve. Outages are not included: they end by themselves, or the machine
 * times out.
 */
function problemOf({ status }: Machine): Problem | undefined {
  const ready = findCondition(status?.conditions, ConditionType.Ready);
  if (ready === undefined || ready.status === 'True') return undefined;
  const reason = ready.reason as ConditionReason;
  if (actionRequiredBy(reason) === 'fairway' || isOutage(reason) || reason === ConditionReason.Paused) return undefined;
  return { reason, message: ready.message };
}

function startupTimeoutProblem(timeoutMs: number): Problem {
  const minutes = Math.round(timeoutMs / 60_000);
  return {
    reason: ConditionReason.NodeStartupTimeout,
    message: `has not become a node within ${minutes} minutes: the server is slow or does not start; raise spec.nodeStartupTimeout of the pool to allow more time`,
  };
}
