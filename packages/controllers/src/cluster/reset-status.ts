import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { isBeingWiped, type ResetDecision } from '@fairway/api/domain/reset';
import type { ClusterPhase, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { ResetStatus } from '@fairway/api/kinds/cluster-reset';
import { formatTime } from '@fairway/base/clock';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { heldUpState, type Operation, percentDone, stepsWith } from '../operation.ts';
import { measuredSeconds } from './durations.ts';

/**
 * Parts of the status about the cluster before the reset, including those written by others: an add-on that the tenant
 * had taken over no longer exists in an empty cluster.
 */
const FIELDS_REMOVED_BY_RESET = [
  'version',
  'availablePatch',
  'nextUpgradeVersions',
  'endOfLife',
  'upToDate',
  'caCertificate',
  'keystone',
  'addons',
  'cniInstaller',
] as const;

/**
 * The status that the next one is derived from: after the control plane was wiped, without the state from before the
 * reset. Pure.
 */
export function statusAfterReset(
  status: ClusterStatus | undefined,
  { reset }: ResetDecision,
): ClusterStatus | undefined {
  if (status === undefined || reset?.emptiedTime === status.reset?.emptiedTime) return status;
  const rest = { ...status };
  for (const key of FIELDS_REMOVED_BY_RESET) delete rest[key];
  return { ...rest, ...(reset?.version !== undefined && { desiredVersion: reset.version }) };
}

/**
 * The Ready condition of a cluster whose previous contents are not deleted yet; undefined once they are deleted.
 * `trouble` is what blocks their deletion. Pure.
 */
export function resettingCondition(
  reset: ResetStatus | undefined,
  machines: number,
  problem: Problem | undefined,
): ConditionState | undefined {
  if (reset === undefined || !isBeingWiped({ status: { reset } })) return undefined;
  const type = ConditionType.Ready;
  if (problem) return conditionUnmet(type, problem);
  const message =
    reset.phase === 'RemovingNodes' && machines > 0
      ? `the cluster is being reset: ${pluralize(machines, 'machine')} still to be deleted`
      : 'the cluster is being reset: its control plane is being wiped';
  return conditionUnmet(type, { reason: ConditionReason.Resetting, message });
}

/** Why a requested reset does not start; undefined if none is requested, or it has started. Pure. */
export function resetImpossibleCondition({ problem }: ResetDecision): ConditionState | undefined {
  if (problem === undefined) return undefined;
  const message = `${problem.field}: ${problem.problem}`;
  return conditionUnmet(ConditionType.ResetPossible, { reason: problem.reason, message });
}

/** `status.reset` once the cluster is Ready again. Pure. */
export function resetStatusOf(
  reset: ResetStatus | undefined,
  ready: ConditionState,
  nowMs: number,
): ResetStatus | undefined {
  if (reset?.phase !== 'Starting' || ready.status !== 'True') return reset;
  return { ...reset, phase: 'Complete', since: formatTime(nowMs) };
}

/** The phase of a cluster that is being reset; undefined otherwise. Pure. */
export function resetPhase(reset: ResetStatus | undefined, ready: ConditionState): ClusterPhase | undefined {
  if (isBeingWiped(reset && { status: { reset } })) return 'Resetting';
  const isLate = ready.reason === ConditionReason.NodeStartupTimeout;
  return reset?.phase === 'Starting' && !isLate ? 'Resetting' : undefined;
}

/**
 * `lastOperation` of a reset in progress: the machines from before the reset, the control plane, and each node of the
 * empty cluster are steps. Undefined if no reset is in progress. Pure.
 */
export function resetOperation(
  { reset, lastOperation: last, durations }: Pick<ClusterStatus, 'reset' | 'lastOperation' | 'durations'>,
  { machines, nodes, ready, creation }: ResetProgress,
): Operation | undefined {
  if (reset === undefined || reset.phase === 'Complete') return undefined;
  const { reason, message: description } = ready;
  const state = heldUpState(reason);
  // Servers to be reinstalled are retained until the control plane is wiped.
  const going = reset.nodes === 'Delete' ? machines : 0;
  const left = reset.phase === 'Starting' ? creation.total - creation.done : going + CONTROL_PLANE_STEPS + nodes;
  const steps = stepsWith(last, 'Reset', { left });
  const expectedSeconds = measuredSeconds(durations, 'Reset');
  return { type: 'Reset', state, description, reason, steps, progress: percentDone(steps), expectedSeconds };
}

/** The control plane is wiped, and restarted. */
const CONTROL_PLANE_STEPS = 2;

interface ResetProgress {
  readonly machines: number;
  /** The number of nodes that the pools specify. */
  readonly nodes: number;
  readonly ready: ConditionState;
  /** The progress of a cluster that is being created. */
  readonly creation: NonNullable<Operation['steps']>;
}
