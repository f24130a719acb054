import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { keepRequest, MAX_KEPT_MACHINES } from '@fairway/api/domain/inspection';
import { shouldHaveNoNodes } from '@fairway/api/domain/reset';
import { KEEP_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { keyOf } from '@fairway/kube/client/object-key';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import { machinesByPool } from '@fairway/tenancy/cache-indexes';
import type { Problem } from '@fairway/tenancy/problem';
import type { MachineScope } from './scope.ts';

/** How long before the retention ends a second notice is recorded. */
const EXPIRY_NOTICE_MS = 3_600_000;
/** Resync interval while a server is retained. */
const RESYNC_INTERVAL_MS = 600_000;

/** The condition of a machine that is not being replaced, but whose server should be retained once it is; undefined if that is not requested. Pure. */
export function inspectionCondition(machine: Machine, nowMs: number): ConditionState | undefined {
  const request = keepRequest(machine, nowMs);
  if (request === undefined) return undefined;
  const type = ConditionType.KeptForInspection;
  const status = 'False';
  if ('problem' in request) {
    return { type, status, reason: ConditionReason.KeepRefused, message: `${KEEP_ANNOTATION}: ${request.problem}` };
  }
  const value = machine.metadata.annotations?.[KEEP_ANNOTATION];
  const message = `when the machine is replaced or deleted, its server is retained for inspection: ${value}`;
  return { type, status, reason: ConditionReason.KeepRequested, message };
}

/** Why the server of a machine that is being deleted is not deleted yet, and when to check again. */
export interface InspectionHold extends Problem {
  readonly retryAfterMs: number;
}

/**
 * Whether the server of a machine that is being deleted is retained for inspection. Undefined if this is not requested,
 * its time has passed, there is no server, enough servers in the pool are already retained, its pool or cluster is
 * being deleted or hibernated, or a reset deletes all nodes.
 */
export async function inspectionHold(scope: MachineScope): Promise<InspectionHold | undefined> {
  const { machine, cluster, pool } = scope;
  const isOwnerDeleting =
    cluster === undefined || pool === undefined || isBeingDeleted(cluster) || isBeingDeleted(pool);
  if (isOwnerDeleting || shouldHaveNoNodes(cluster)) return undefined;
  const untilMs = inspectionEndMs(machine, scope.now());
  if (untilMs === undefined || !isWithinKeepLimit(scope) || !(await hasServer(scope))) return undefined;
  const leftMs = untilMs - scope.now();
  const isLate = leftMs <= EXPIRY_NOTICE_MS;
  const advice = `to delete it now: kubectl annotate machine ${machine.metadata.name} ${KEEP_ANNOTATION}-`;
  const message = `the machine is being replaced, and its server is retained for inspection until ${formatTime(untilMs)}; ${advice}`;
  const reason = isLate ? ConditionReason.KeepEnding : ConditionReason.KeptForInspection;
  return {
    reason,
    message,
    retryAfterMs: Math.min(isLate ? leftMs : leftMs - EXPIRY_NOTICE_MS, RESYNC_INTERVAL_MS) + 1,
  };
}

/**
 * Whether the machine has a server; true if that is uncertain: a list may be stale, or miss a server. Rejects with the
 * cloud's error.
 */
async function hasServer(scope: MachineScope): Promise<boolean> {
  const owned = await scope.listedServers();
  if (owned === undefined) return false;
  if (owned.kind === 'settling' || owned.items.length > 0) return true;
  const isKnown = scope.machine.status?.serverID !== undefined && owned.deleting.length === 0;
  return isKnown && !(await scope.wasServerLost(owned));
}

/** Records when the retention starts, and an hour before it ends; once each. */
export function recordInspectionEvents({ machine, dependencies }: MachineScope, inspectionWait: InspectionHold): void {
  const last = findCondition(machine.status?.conditions, ConditionType.KeptForInspection);
  if (last?.status === 'True' && last.reason === inspectionWait.reason) return;
  dependencies.events.warning(machine, inspectionWait.reason, inspectionWait.message);
}

function inspectionEndMs(machine: Machine, nowMs: number): number | undefined {
  const request = keepRequest(machine, Date.parse(machine.metadata.deletionTimestamp ?? ''));
  return request !== undefined && 'untilMs' in request && request.untilMs > nowMs ? request.untilMs : undefined;
}

/** Whether the machine is among the first to be deleted, whose servers are retained. */
function isWithinKeepLimit({ machine, pool, dependencies }: MachineScope): boolean {
  const machinesInPool = dependencies.cache.machines.find(machinesByPool, pool ? keyOf(pool) : '');
  return countKeptBefore(machine, machinesInPool, dependencies.clock.now()) < MAX_KEPT_MACHINES;
}

/**
 * The number of retained machines in the pool that were deleted before this one. Machines without a server, and those
 * whose retention has expired, do not count. The annotation's value at the time of the machine's deletion is used.
 * Pure.
 */
export function countKeptBefore(machine: Machine, machinesInPool: readonly Machine[], nowMs: number): number {
  const kept = machinesInPool.filter(
    (each) =>
      isBeingDeleted(each) &&
      each.status?.phase !== 'Terminated' &&
      each.status?.serverID !== undefined &&
      inspectionEndMs(each, nowMs) !== undefined,
  );
  const order = ({ metadata }: Machine) => `${metadata.deletionTimestamp} ${metadata.name}`;
  return kept.filter((each) => order(each) < order(machine)).length;
}
