import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { HealingSettings } from '@fairway/api/domain/healing-settings';
import { EXCLUDE_FROM_HEALING_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { unhealthyReason } from '../healing/unhealthy-reason.ts';

/**
 * What healing has decided about the machine, or when it will repair a lost node; undefined if the machine is
 * healthy.
 */
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
  const isOverdue = nextMs <= facts.nowMs;
  const message = isOverdue
    ? `due for repair since ${formatTime(nextMs)}: the repair starts once Fairway has observed the node as not Ready for the pool's timeout (restarts and outages reset the count) and once other repairs permit it`
    : `to be repaired at ${formatTime(nextMs)} or later unless the node becomes Ready before then`;
  return { type, status: 'False', reason: ConditionReason.WaitingToRepair, message };
}

/**
 * The earliest time at which healing repairs the machine if nothing changes; later if the nodes could not be observed
 * without a gap.
 */
function repairMs(
  machine: Machine,
  { healing, node, nowMs }: Parameters<typeof healthCondition>[1],
): number | undefined {
  const { status, metadata } = machine;
  if (status?.phase !== 'NotReady' || status.readyTime === undefined || !healing?.isEnabled) return undefined;
  if (metadata.annotations?.[EXCLUDE_FROM_HEALING_ANNOTATION] !== undefined) return undefined;
  const unhealthy = unhealthyReason(machine, { node, hasReadyPeer: true, settings: healing, nowMs, trustedSinceMs: 0 });
  return unhealthy === undefined || unhealthy.isServerMissing ? undefined : unhealthy.dueMs;
}
