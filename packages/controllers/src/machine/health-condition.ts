import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { HealingSettings } from '@fairway/api/domain/healing-settings';
import { EXCLUDE_FROM_HEALING_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { ailmentOf } from '../healing/ailment.ts';

/** What healing says of the machine, or will do about a node that is lost; undefined if it is well. */
export function healthCondition(
  machine: Machine,
  facts: {
    readonly healing?: HealingSettings | undefined;
    readonly node: TenantNode | undefined;
    readonly nowMs: number;
  },
): ConditionState | undefined {
  const mark = machine.status?.marks?.repair;
  const type = ConditionType.HealthCheckSucceeded;
  if (mark) return { type, status: 'False', reason: mark.reason, message: mark.message };
  const nextMs = repairMs(machine, facts);
  if (nextMs === undefined) return undefined;
  const message = `to be repaired at ${formatTime(nextMs)} or later, if the node is not Ready again before`;
  return { type, status: 'False', reason: ConditionReason.WaitingToRepair, message };
}

/** When healing repairs it at the earliest, as long as it stays as it is: later where the nodes could not be seen without a gap. */
function repairMs(
  machine: Machine,
  { healing, node, nowMs }: Parameters<typeof healthCondition>[1],
): number | undefined {
  const { status, metadata } = machine;
  if (status?.phase !== 'NotReady' || status.readyTime === undefined || !healing?.isEnabled) return undefined;
  if (metadata.annotations?.[EXCLUDE_FROM_HEALING_ANNOTATION] !== undefined) return undefined;
  const ailment = ailmentOf(machine, { node, hasReadyPeer: true, settings: healing, nowMs, trustedSinceMs: 0 });
  return ailment === undefined || ailment.isGone ? undefined : ailment.dueMs;
}
