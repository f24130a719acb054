import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { generationOf } from '@fairway/api/domain/template-change';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import { findCondition } from '@fairway/kube/controller/conditions';

/**
 * Whether the machine's spec requires a disk other than the one that its server has: it is about to be reinstalled, or
 * is being reinstalled.
 */
export function isBeingReinstalled({ spec, status }: Machine): boolean {
  const { installed, reinstall } = status ?? {};
  if (reinstall !== undefined) return true;
  if (installed === undefined) return false;
  return (
    installed.image !== spec.image ||
    installed.version !== spec.version ||
    generationOf(installed) !== generationOf(spec) ||
    installed.reinstallTime !== spec.reinstallTime
  );
}

/** Whether pods run on the machine's node, and may continue to. */
export function isAvailable(machine: Machine): boolean {
  return machine.status?.phase === 'Ready' && !isBeingReinstalled(machine);
}

/** Whether the machine's node used to work but no longer does. */
export function isBroken(machine: Machine): boolean {
  return machine.status?.phase === 'NotReady' && !isBeingReinstalled(machine);
}

/** Whether the machine has not been a node yet, and may still become one in time. */
export function isStarting({ status }: Machine): boolean {
  return status?.readyTime === undefined && status?.startup?.timedOutTime === undefined;
}

const CAPACITY_REASONS: ReadonlySet<string> = new Set<ConditionReason>([
  ConditionReason.QuotaExceeded,
  ConditionReason.FlavorOutOfStock,
  ConditionReason.AddressesExhausted,
  ConditionReason.AntiAffinityUnsatisfiable,
]);

/** Whether the machine has no server because other servers use the capacity. */
export function lacksCapacity(machine: Machine): boolean {
  const reason = findCondition(machine.status?.conditions, ConditionType.ServerReady)?.reason;
  return isStarting(machine) && reason !== undefined && CAPACITY_REASONS.has(reason);
}

/**
 * Whether the repair belongs to the current state of the cluster: a repair from before a reset concerned a previous
 * disk.
 */
export function isCurrentMark({ spec }: Machine, { time }: Pick<RepairMark, 'time'>): boolean {
  return spec.resetTime === undefined || Date.parse(time) >= Date.parse(spec.resetTime);
}

/** Whether the cloud has confirmed that the machine's server no longer exists. */
export function isServerGone({ status }: Machine): boolean {
  return status?.marks?.repair?.due === true && status.marks.repair.reason === ConditionReason.ServerVanished;
}

/** Whether the machine is being replaced while its server is retained for inspection: its pool treats it as deleted. */
export function isKeptForInspection({ metadata, status }: Machine): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  return findCondition(status?.conditions, ConditionType.KeptForInspection)?.status === 'True';
}
