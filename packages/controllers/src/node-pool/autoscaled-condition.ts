import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { poolBounds } from '@fairway/api/domain/target-replicas';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';

/** What autoscaling has decided about the pool, and why; undefined without autoscaling. */
export function autoscaledCondition(pool: NodePool, nowMs: number): ConditionState | undefined {
  if (!pool.spec.autoscaling.enabled) return undefined;
  const type = ConditionType.Autoscaled;
  const problem = pool.status?.bounds?.problem;
  if (problem !== undefined) {
    const message = `a schedule has no effect: ${problem}`;
    return conditionUnmet(type, { reason: ConditionReason.ConfigurationInvalid, message: message });
  }
  const { autoscaling } = pool.status ?? {};
  if (autoscaling === undefined) {
    const message = 'autoscaling is waiting for the cluster: its nodes and pods are not known yet';
    return conditionUnmet(type, { reason: ConditionReason.WaitingForCluster, message });
  }
  const { hindrance, backoff, replicas, reason, message } = autoscaling;
  if (hindrance)
    return conditionUnmet(type, { reason: hindrance.reason as ConditionReason, message: hindrance.message });
  if (backoff && Date.parse(backoff.until) > nowMs) {
    const message = `failed to create new nodes; next attempt at ${backoff.until}: ${backoff.message}`;
    return conditionUnmet(type, { reason: backoff.reason as ConditionReason, message: message });
  }
  const { min, max, by } = poolBounds(pool);
  return {
    ...conditionMet(type),
    message: `${pluralize(replicas, 'node')}, of ${min} to ${max}${by}; ${reason}: ${message}`,
  };
}
