import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { overruledVersion } from '@fairway/api/domain/forced-upgrade';
import { describeUnapplied, unappliedClusterFields } from '@fairway/api/domain/unapplied-fields';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { ControlPlaneSpread } from '@fairway/control-plane/runtime';
import type { ConditionState, ConditionStates } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';

interface AppliedFieldsFacts {
  readonly plan: PlanSpec | undefined;
  readonly spread: ControlPlaneSpread;
  /** Whether this Fairway serves external autoscalers. */
  readonly servesAutoscalers?: boolean | undefined;
}

/**
 * Conditions, in addition to Ready, about promises in spec and plan; a condition that does not apply to the cluster is
 * undefined. Pure. If the plan is unknown, existing conditions remain.
 */
export function planConditions(
  cluster: Pick<Cluster, 'spec' | 'status'>,
  { plan, spread, servesAutoscalers = false }: AppliedFieldsFacts,
): ConditionStates {
  if (plan === undefined) return {};
  return {
    [ConditionType.ControlPlaneHighlyAvailable]: highAvailability(plan, spread, cluster.spec.plan),
    [ConditionType.FieldsApplied]: fieldsApplied(cluster, plan, servesAutoscalers),
  };
}

function highAvailability(
  { controlPlane }: PlanSpec,
  spread: ControlPlaneSpread,
  name: string,
): ConditionState | undefined {
  const { replicas, topology } = controlPlane;
  const zones = topology === 'MultiZone' ? 2 : 1;
  if (replicas === 1 && zones === 1) return undefined;
  const type = ConditionType.ControlPlaneHighlyAvailable;
  if (spread.replicas >= replicas && spread.zones >= zones) return conditionMet(type);
  const promised = `${replicas} replicas${topology === 'MultiZone' ? ' across several zones' : ''}`;
  const message = `plan "${name}" promises a control plane with ${promised}, but this Fairway runs ${spread.replicas} in ${spread.zones} zone: the API server is unavailable whenever its machine is`;
  return conditionUnmet(type, { reason: ConditionReason.SingleReplica, message });
}

function fieldsApplied(
  cluster: Pick<Cluster, 'spec' | 'status'>,
  plan: PlanSpec,
  servesAutoscalers: boolean,
): ConditionState | undefined {
  const { mode } = cluster.spec.autoscaler;
  const unservedFields = mode === 'External' && !servesAutoscalers ? [{ ...EXTERNAL_AUTOSCALER, value: mode }] : [];
  const unapplied = describeUnapplied([...unservedFields, ...unappliedClusterFields(cluster, plan)]);
  const overruled = overruledVersion(cluster);
  if (unapplied === undefined && overruled === undefined) return undefined;
  // Problems that the user can solve.
  const reason = overruled === undefined ? ConditionReason.NotImplemented : ConditionReason.VersionOverruled;
  const message = [overruled, unapplied].filter((each) => each !== undefined).join('; ');
  return conditionUnmet(ConditionType.FieldsApplied, { reason, message });
}

const EXTERNAL_AUTOSCALER = {
  field: 'spec.autoscaler.mode',
  detail:
    'this Fairway does not serve external autoscalers, so pools keep their size: set Managed, or ask the operator for --external-autoscaler-listen',
};
