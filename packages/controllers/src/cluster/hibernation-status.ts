import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { wakingProblem } from '@fairway/api/domain/waking-problem';
import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { Cluster, ClusterPhase, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { HibernationStatus } from '@fairway/api/kinds/cluster-hibernation';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { formatTime } from '@fairway/base/clock';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { heldUpState, type Operation, percentDone, stepsWith } from '../operation.ts';
import { measuredSeconds } from './durations.ts';

/** What one pass has observed about hibernation. */
export interface HibernationFacts {
  /** The desired state; undefined if unknown. */
  readonly hibernation: HibernationStatus | undefined;
  /** Existing machines, including those that are being deleted. */
  readonly machines: number;
  /** Whether the whole control plane is stopped. */
  readonly isHibernated: boolean;
}

/** `status.hibernation` with the observed state, including when the cluster was hibernated. Pure. */
export function hibernationStatusOf(
  { hibernation, machines, isHibernated }: HibernationFacts,
  nowMs: number,
): HibernationStatus | undefined {
  if (hibernation === undefined) return undefined;
  const { since, ...rest } = hibernation;
  const hibernated = hibernation.wanted && isHibernated && machines === 0;
  return { ...rest, hibernated, ...(hibernated && { since: since ?? formatTime(nowMs) }) };
}

/**
 * The Ready condition of a hibernated or hibernating cluster; undefined if it should be awake. `trouble` is what blocks
 * the hibernation. Pure.
 */
export function hibernatedCondition(
  { metadata }: Cluster,
  status: HibernationStatus | undefined,
  { machines }: HibernationFacts,
  blocker: Problem | undefined,
): ConditionState | undefined {
  const type = ConditionType.Ready;
  if (!status?.wanted) return undefined;
  if (!status.hibernated && blocker) return conditionUnmet(type, blocker);
  if (!status.hibernated) {
    const left =
      machines > 0 ? `${pluralize(machines, 'machine')} still to be deleted` : 'the control plane is being hibernated';
    return conditionUnmet(type, { reason: ConditionReason.Hibernating, message: left });
  }
  const wake = `"fairway cluster wake ${metadata.name}" wakes it`;
  const planned = status.next?.wake === undefined ? wake : `it wakes at ${status.next.wake}; ${wake} now`;
  return conditionUnmet(type, {
    reason: ConditionReason.Hibernated,
    message: `hibernated: no nodes are running, and the control plane is stopped; ${planned}`,
  });
}

/**
 * The phase of a cluster that is hibernating or waking; undefined otherwise. A cluster is Waking until it is Ready,
 * unless there is a problem. Pure.
 */
export function hibernationPhase(
  status: HibernationStatus | undefined,
  previous: ClusterPhase | undefined,
  ready: ConditionState,
): ClusterPhase | undefined {
  if (status?.wanted) return status.hibernated ? 'Hibernated' : 'Hibernating';
  const wasHibernating = previous === 'Hibernated' || previous === 'Hibernating' || previous === 'Waking';
  if (!wasHibernating || ready.status === 'True' || ready.reason === ConditionReason.NodeStartupTimeout)
    return undefined;
  return 'Waking';
}

/**
 * `lastOperation` while the cluster should be hibernated: each machine and the control plane is a step. Undefined if it
 * should be awake. `nodes`: how many nodes the cluster has when awake. Pure.
 */
export function hibernateOperation(
  {
    hibernation: status,
    lastOperation: last,
    durations,
  }: Pick<ClusterStatus, 'hibernation' | 'lastOperation' | 'durations'>,
  { machines }: HibernationFacts,
  { nodes, ready }: { readonly nodes: number; readonly ready: ConditionState },
): Operation | undefined {
  if (!status?.wanted) return undefined;
  if (status.hibernated) {
    return { type: 'Hibernate', state: 'Succeeded', progress: 100, description: 'the cluster is hibernated' };
  }
  const steps = stepsWith(last, 'Hibernate', { left: machines + 1, total: nodes + 1 });
  const { reason, message: description } = ready;
  const expectedSeconds = measuredSeconds(durations, 'Hibernate');
  const state = heldUpState(ready.reason);
  return { type: 'Hibernate', state, progress: percentDone(steps), description, reason, steps, expectedSeconds };
}

/**
 * Whether the quotas have room for the nodes when the cluster wakes; undefined if it is not hibernated, or the quotas
 * are not known. Pure.
 */
export function wakingCondition(
  status: HibernationStatus | undefined,
  pools: readonly NodePool[],
  profile: CloudProfileStatus | undefined,
): ConditionState | undefined {
  const type = ConditionType.WakingPossible;
  if (!status?.wanted || profile?.flavors === undefined || profile.quotas === undefined) return undefined;
  const quotas = Object.fromEntries(profile.quotas.map(({ name, ...quota }) => [name, quota]));
  const problem = wakingProblem(pools, { flavors: profile.flavors, quotas });
  if (problem === undefined) return conditionMet(type);
  return conditionUnmet(type, { reason: ConditionReason.QuotaExceeded, message: problem });
}
