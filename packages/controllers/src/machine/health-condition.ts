import { ConditionType } from '@fairway/api/conditions';
import type { MachineStatus } from '@fairway/api/kinds/machine';
import type { ConditionState } from '@fairway/kube/controller/conditions';

/** What healing says of the machine; undefined if it is well. */
export function healthCondition(status: MachineStatus | undefined): ConditionState | undefined {
  const mark = status?.marks?.repair;
  if (mark === undefined) return undefined;
  const { reason, message } = mark;
  return { type: ConditionType.HealthCheckSucceeded, status: 'False', reason, message };
}
