import { ConditionReason, ConditionType, isOutage, turnOf } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import { isNodeReady, type TenantNode } from '@fairway/tenancy/connection/node';
import type { Problem } from '@fairway/tenancy/problem';

/** cluster-autoscaler's --max-node-provision-time. */
export const MAX_PROVISION_MS = 15 * 60_000;

/** What a machine is to autoscaling. */
export type Standing =
  /** It is being deleted. */
  | { readonly kind: 'leaving' }
  /** A node, which may have stopped working. */
  | { readonly kind: 'node'; readonly isReady: boolean }
  /** It will be a node, or will be one again: pods may wait for it. */
  | { readonly kind: 'upcoming' }
  /** It can't become a node, or takes too long. */
  | { readonly kind: 'failed'; readonly problem: Problem };

/** Judges a machine by its own status and its node. A node that is under repair or renewal comes back. */
export function standingOf(machine: Machine, node: TenantNode | undefined, nowMs: number): Standing {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined) return { kind: 'leaving' };
  const isReady = node !== undefined && isNodeReady(node);
  if (status?.marks?.repair?.due || status?.marks?.renewal?.due) return { kind: 'upcoming' };
  // Its kubelet has yet to tell what it has.
  if (isReady && node.status?.allocatable === undefined) return { kind: 'upcoming' };
  if (node !== undefined && (isReady || status?.readyTime !== undefined)) return { kind: 'node', isReady };
  if (status?.readyTime !== undefined) return { kind: 'upcoming' };
  const problem = problemOf(machine) ?? lateness(machine, nowMs);
  return problem ? { kind: 'failed', problem } : { kind: 'upcoming' };
}

/** What others than Fairway have to do first, or to make possible. An outage is nobody's decision: it passes, or the machine is late. */
function problemOf({ status }: Machine): Problem | undefined {
  const ready = findCondition(status?.conditions, ConditionType.Ready);
  if (ready === undefined || ready.status === 'True') return undefined;
  const reason = ready.reason as ConditionReason;
  if (turnOf(reason) === 'fairway' || isOutage(reason) || reason === ConditionReason.Paused) return undefined;
  return { reason, message: ready.message };
}

function lateness({ metadata }: Machine, nowMs: number): Problem | undefined {
  if (nowMs - Date.parse(metadata.creationTimestamp ?? '') < MAX_PROVISION_MS) return undefined;
  return {
    reason: ConditionReason.NodeStartupTimeout,
    message: `has not become a node in ${MAX_PROVISION_MS / 60_000} minutes`,
  };
}

/** When an upcoming machine is too late; undefined for all others. */
export function dueOf({ metadata }: Machine, standing: Standing): number | undefined {
  return standing.kind === 'upcoming' ? Date.parse(metadata.creationTimestamp ?? '') + MAX_PROVISION_MS : undefined;
}
