import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { LastOperation } from '@fairway/api/kinds/status';
import { formatTime } from '@fairway/base/clock';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { heldUpState, type Operation, operation, stepsWith } from '../operation.ts';
import { isUnderWay } from '../upgrade/progress.ts';
import { isStarting } from './availability.ts';
import type { Counts, PoolWork } from './phase.ts';
import { typicalStartMs } from './typical-start.ts';

export interface OperationFacts {
  readonly type: LastOperation['type'];
  readonly machinesReady: ConditionState;
  readonly counts: Counts;
  /** Machines that match the pool's spec; undefined while unknown. */
  readonly updated: number | undefined;
  readonly work: PoolWork;
  readonly upgrade: PoolUpgrade | undefined;
  /** The machines, excluding those being deleted. */
  readonly staying: readonly Machine[];
}

/** The current operation of a pool, and its progress. Pure. */
export function lastOperation(last: LastOperation | undefined, facts: OperationFacts, nowMs: number): LastOperation {
  return operation(last, operationOf(last, facts, nowMs), nowMs);
}

function operationOf(last: LastOperation | undefined, facts: OperationFacts, nowMs: number): Operation {
  const { type, machinesReady, counts, updated = 0, work, upgrade } = facts;
  if (machinesReady.status !== 'True') {
    const current = growth(last, facts, nowMs);
    if (type !== 'Upgrade' || !isUnderWay(upgrade)) return current;
    const { progress, steps, estimatedEndTime } = upgradeProgress(upgrade, { updated, desired: counts.desired });
    return { ...current, progress, steps, estimatedEndTime };
  }
  if (work.isUpgrading) return { type, ...upgradeProgress(upgrade, { updated, desired: counts.desired }) };
  // An operation that has started continues while it waits, with all nodes ready.
  if (isUnderWay(upgrade) && upgrade.startTime !== undefined && !work.isHealing) {
    return { type: 'Upgrade', ...upgradeProgress(upgrade, { updated, desired: counts.desired }) };
  }
  if (upgrade?.state === 'Aborted' && last?.type === 'Upgrade' && last.state !== 'Succeeded') {
    const { progress, description, steps } = upgradeProgress(upgrade, { updated, desired: counts.desired });
    const { reason, since } = upgrade;
    return { type: 'Upgrade', state: 'Failed', progress, description, steps, reason, since };
  }
  const ended = { type: last?.type ?? 'Create', state: 'Succeeded', progress: 100 } as const;
  return { ...ended, description: 'all nodes are ready' };
}

/** Each desired machine is a step, and so is each surplus one. */
function growth(last: LastOperation | undefined, facts: OperationFacts, nowMs: number): Operation {
  const { type, machinesReady, counts, staying } = facts;
  const { reason, message: description } = machinesReady;
  const state = heldUpState(reason);
  const { desired, ready } = counts;
  const surplus = counts.leaving + Math.max(counts.staying - desired, 0);
  const left = desired - Math.min(ready, desired) + surplus;
  const steps = stepsWith(last, type, { left, total: desired + surplus });
  // The duration of a drain is unknown.
  const end = surplus > 0 ? undefined : lastStartMs(last, staying);
  const estimatedEndTime = state === 'Processing' && end !== undefined && end > nowMs ? formatTime(end) : undefined;
  return { type, state, progress: progressOf(steps), description, reason, steps, estimatedEndTime };
}

/**
 * When the last desired machine will become a node, if each takes as long as the pool's other machines did; undefined
 * while unknown.
 */
function lastStartMs(last: LastOperation | undefined, staying: readonly Machine[]): number | undefined {
  const typicalMs = typicalStartMs(staying);
  const starting = staying.filter(({ status }) => status?.phase !== 'Ready');
  // For machines that worked before, or are being reinstalled, the start is not the creation.
  if (typicalMs === undefined || !starting.every(isStarting)) return undefined;
  const startTimes = [last?.startTime, ...starting.map(({ metadata }) => metadata.creationTimestamp)];
  const latestMs = Math.max(...startTimes.flatMap((time) => (time === undefined ? [] : [Date.parse(time)])));
  return Number.isFinite(latestMs) ? latestMs + typicalMs : undefined;
}

/** The progress of an upgrade, with its own message if there is one. */
function upgradeProgress(
  upgrade: PoolUpgrade | undefined,
  { updated, desired }: { readonly updated: number; readonly desired: number },
): Omit<Operation, 'type'> {
  const activeUpgrade = upgrade && upgrade.state !== 'Complete' ? upgrade : undefined;
  const { done, total } = activeUpgrade ?? { done: Math.min(updated, desired), total: desired };
  const { reason, since, estimatedEndTime } = activeUpgrade ?? {};
  const progress = Math.floor(Math.min(done / Math.max(total, 1), 1) * 95);
  const waits = reason === undefined ? '' : `; ${activeUpgrade?.message}`;
  const description = `${done} of ${total} nodes are updated${waits}`;
  const state = stateOf(activeUpgrade);
  return { state, progress, description, steps: { done, total }, reason, since, estimatedEndTime };
}

function stateOf(upgrade: PoolUpgrade | undefined): LastOperation['state'] {
  if (upgrade?.state === 'Waiting' || upgrade?.state === 'Paused') return 'Pending';
  const isOwn = upgrade?.reason === undefined || actionRequiredBy(upgrade.reason as ConditionReason) === 'fairway';
  return isOwn ? 'Processing' : 'Error';
}

/** Percentage of a pool that is not ready yet. */
function progressOf({ done, total }: { readonly done: number; readonly total: number }): number {
  return Math.floor((done / Math.max(total, 1)) * 95);
}

/** The operation of a pool that is being deleted, with this many remaining machines. Pure. */
export function deletion(
  last: LastOperation | undefined,
  { left, replicas, reason, message }: { left: number; replicas: number; reason: ConditionReason; message: string },
  nowMs: number,
): LastOperation {
  const type = 'Delete';
  const steps = stepsWith(last, type, { left, total: Math.max(left, replicas) });
  const state = heldUpState(reason);
  const next: Operation = { type, state, progress: progressOf(steps), description: message, reason, steps };
  return operation(last, next, nowMs);
}
