import { EXTERNAL_AUTOSCALER } from '@fairway/api/domain/external-autoscaler';
import { poolBounds, targetReplicas } from '@fairway/api/domain/target-replicas';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { AutoscalingStatus } from '@fairway/api/kinds/pool-autoscaling';
import { formatTime } from '@fairway/base/clock';
import { status } from '@grpc/grpc-js';
import { CallError, failedPrecondition, invalidArgument } from './call-error.ts';

export interface NodeBudget {
  /** The number of nodes that cluster and plan allow across all pools. */
  readonly nodes: number;
  /** `plan "free" allows a cluster 100 nodes`. */
  readonly message: string;
  /** Desired number of nodes across all pools. */
  readonly desiredNodes: number;
}

/** Throws a CallError if the size would exceed maxReplicas or the plan's limit. */
export function scaleUpStatus(pool: NodePool, delta: number, budget: NodeBudget, nowMs: number): AutoscalingStatus {
  if (delta <= 0) throw invalidArgument(`delta: ${delta}: must be positive`);
  const from = targetReplicas(pool);
  const to = from + delta;
  const { max, by } = poolBounds(pool);
  const { name } = pool.metadata;
  if (to > max) {
    throw failedPrecondition(
      `node pool ${name}: ${delta} nodes more than ${from} were requested, but its maxReplicas is ${max}${by}`,
    );
  }
  if (budget.desiredNodes + delta > budget.nodes) {
    const message = `node pool ${name}: ${delta} more nodes were requested: ${budget.message}, and its pools request ${budget.desiredNodes}`;
    throw new CallError(status.RESOURCE_EXHAUSTED, message);
  }
  return statusOf(pool, to, `from ${from} to ${to}`, nowMs, { lastScaleUpTime: formatTime(nowMs) });
}

/**
 * Withdraws requested nodes that do not exist yet. Existing nodes are kept, regardless of `delta`. The size never falls
 * below minReplicas: cluster-autoscaler withdraws nodes that did not arrive in time, and aborts its loop on an error.
 */
export function scaleDownStatus(
  pool: NodePool,
  delta: number,
  machines: readonly Machine[],
  nowMs: number,
): AutoscalingStatus {
  if (delta >= 0) throw invalidArgument(`delta: ${delta}: must be negative`);
  const from = targetReplicas(pool);
  const nodes = machines.filter((machine) => isRemaining(machine) && machine.status?.readyTime !== undefined).length;
  if (from + delta < nodes) {
    const message = `delta: ${delta}: node pool ${pool.metadata.name} has ${from} desired and ${nodes} actual nodes; existing nodes are removed only with NodeGroupDeleteNodes`;
    throw failedPrecondition(message);
  }
  const to = Math.max(from + delta, poolBounds(pool).min);
  return statusOf(pool, to, `from ${from} to ${to}: no longer waiting for nodes that were not created`, nowMs, {});
}

export interface Removal {
  /** Machines to mark, without duplicates. */
  readonly marked: readonly Machine[];
  /** Time of the marks, stored in `lastScaleDownTime` when they are counted. */
  readonly time: string;
  /** Undefined if all were already counted. */
  readonly status: AutoscalingStatus | undefined;
}

/**
 * The machines to remove, and the size without them. A mark newer than `lastScaleDownTime` was not counted, because its
 * writer was interrupted, so it is counted now. A repeated call therefore reduces the size only once, even if the first
 * call was interrupted.
 */
export function planRemoval(
  pool: NodePool,
  machinesToRemove: readonly Machine[],
  machines: readonly Machine[],
  nowMs: number,
): Removal {
  const countedMs = Date.parse(pool.status?.autoscaling?.lastScaleDownTime ?? '');
  const lastMs = Number.isFinite(countedMs) ? countedMs : 0;
  const timeMs = Math.max(Math.floor(nowMs / 1000) * 1000, lastMs + 1000);
  const marked = [...new Set(machinesToRemove)].filter((machine) => isRemaining(machine));
  const uncountedMachines = machines.filter((machine) => {
    const mark = markOf(machine);
    return machine.metadata.deletionTimestamp === undefined && mark !== undefined && Date.parse(mark.time) > lastMs;
  });
  const count = marked.length + uncountedMachines.length;
  const time = formatTime(timeMs);
  if (count === 0) return { marked, time, status: undefined };
  const from = targetReplicas(pool);
  const { min, by } = poolBounds(pool);
  const to = from - count;
  if (to < min) {
    throw failedPrecondition(
      `node pool ${pool.metadata.name}: ${count} of ${from} nodes would be removed, but its minReplicas is ${min}${by}`,
    );
  }
  const names = [...marked, ...uncountedMachines].map(({ metadata }) => metadata.name).join(', ');
  const status = statusOf(pool, to, `from ${from} to ${to}, without ${names}`, nowMs, { lastScaleDownTime: time });
  return { marked, time, status };
}

/** Neither being deleted nor marked for deletion. */
export function isRemaining(machine: Machine): boolean {
  return machine.metadata.deletionTimestamp === undefined && markOf(machine) === undefined;
}

function markOf({ status: found }: Machine) {
  const mark = found?.marks?.unneeded;
  return mark?.due && mark.reason === EXTERNAL_AUTOSCALER ? mark : undefined;
}

function statusOf(
  pool: NodePool,
  replicas: number,
  message: string,
  nowMs: number,
  times: Partial<AutoscalingStatus>,
): AutoscalingStatus {
  const { lastScaleUpTime, lastScaleDownTime } = pool.status?.autoscaling ?? {};
  return {
    replicas,
    reason: EXTERNAL_AUTOSCALER,
    message: message.slice(0, 1024),
    time: formatTime(nowMs),
    ...(lastScaleUpTime !== undefined && { lastScaleUpTime }),
    ...(lastScaleDownTime !== undefined && { lastScaleDownTime }),
    ...times,
  };
}
