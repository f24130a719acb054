import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { generationOf } from '@fairway/api/domain/template-change';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import { findCondition } from '@fairway/kube/controller/conditions';

/** Whether the machine's spec asks for another disk than its server has: it is about to be reinstalled, or is being. */
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

/** Whether pods run on its node, and may go on to. */
export function isAvailable(machine: Machine): boolean {
  return machine.status?.phase === 'Ready' && !isBeingReinstalled(machine);
}

/** Whether its node worked, and does not any more. */
export function isBroken(machine: Machine): boolean {
  return machine.status?.phase === 'NotReady' && !isBeingReinstalled(machine);
}

/** Whether it has not been a node yet, and still may become one in time. */
export function isStarting({ status }: Machine): boolean {
  return status?.readyTime === undefined && status?.startup?.timedOutTime === undefined;
}

const STARVED: ReadonlySet<string> = new Set<ConditionReason>([
  ConditionReason.QuotaExceeded,
  ConditionReason.FlavorOutOfStock,
  ConditionReason.AddressesExhausted,
  ConditionReason.AntiAffinityUnsatisfiable,
]);

/** Whether it gets no server for want of what another server takes. */
export function isStarved(machine: Machine): boolean {
  const reason = findCondition(machine.status?.conditions, ConditionType.ServerReady)?.reason;
  return isStarting(machine) && reason !== undefined && STARVED.has(reason);
}

/** Whether the repair is one of the cluster as it is: before a reset it was about another disk. */
export function isMarkOfNow({ spec }: Machine, { time }: Pick<RepairMark, 'time'>): boolean {
  return spec.resetTime === undefined || Date.parse(time) >= Date.parse(spec.resetTime);
}

/** Whether the cloud has confirmed that its server is no more. */
export function isServerGone({ status }: Machine): boolean {
  return status?.marks?.repair?.due === true && status.marks.repair.reason === ConditionReason.ServerVanished;
}

/** Whether it is replaced, and its server is kept for inspection: for its pool it is as good as gone. */
export function isKept({ metadata, status }: Machine): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  return findCondition(status?.conditions, ConditionType.KeptForInspection)?.status === 'True';
}
