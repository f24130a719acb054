import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { isBeingEmptied, type ResetDecision } from '@fairway/api/domain/reset';
import type { ClusterPhase, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { ResetStatus } from '@fairway/api/kinds/cluster-reset';
import { formatTime } from '@fairway/base/clock';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { heldUpState, type Operation, percentOf, stepsWith } from '../operation.ts';
import { measuredSeconds } from './durations.ts';

/** Parts of the status about the cluster before the reset, including those written by others: an add-on that the tenant had taken over is not theirs in an empty cluster. */
const OF_BEFORE = [
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

/** The status that the next one is derived from: after the control plane was wiped, without the state before the reset. Pure. */
export function statusOfBefore(status: ClusterStatus | undefined, { reset }: ResetDecision): ClusterStatus | undefined {
  if (status === undefined || reset?.emptiedTime === status.reset?.emptiedTime) return status;
  const rest = { ...status };
  for (const key of OF_BEFORE) delete rest[key];
  return { ...rest, ...(reset?.version !== undefined && { desiredVersion: reset.version }) };
}

/** Ready of a cluster whose previous contents are not deleted yet; undefined: they are. `trouble` is what blocks their deletion. Pure. */
export function resettingCondition(
  reset: ResetStatus | undefined,
  machines: number,
  trouble: Problem | undefined,
): ConditionState | undefined {
  if (reset === undefined || !isBeingEmptied({ status: { reset } })) return undefined;
  const type = ConditionType.Ready;
  if (trouble) return conditionUnmet(type, trouble);
  const message =
    reset.phase === 'RemovingNodes' && machines > 0
      ? `the cluster is being reset: ${counted(machines, 'machine')} still to be deleted`
      : 'the cluster is being reset: its control plane is being wiped';
  return conditionUnmet(type, { reason: ConditionReason.Resetting, message });
}

/** Why a requested reset does not start; undefined if none is requested, or it has started. Pure. */
export function resetPossibleCondition({ problem }: ResetDecision): ConditionState | undefined {
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

/** The phase of a cluster that is being reset; undefined: another one. Pure. */
export function resetPhase(reset: ResetStatus | undefined, ready: ConditionState): ClusterPhase | undefined {
  if (isBeingEmptied(reset && { status: { reset } })) return 'Resetting';
  const isLate = ready.reason === ConditionReason.NodeStartupTimeout;
  return reset?.phase === 'Starting' && !isLate ? 'Resetting' : undefined;
}

/**
 * `lastOperation` of a reset in progress: the machines from before the reset, the control plane, and each node of the empty cluster are a
 * step. Undefined: there is none. Pure.
 */
export function resetOperation(
  { reset, lastOperation: last, durations }: Pick<ClusterStatus, 'reset' | 'lastOperation' | 'durations'>,
  { machines, nodes, ready, made }: ResetProgress,
): Operation | undefined {
  if (reset === undefined || reset.phase === 'Complete') return undefined;
  const { reason, message: description } = ready;
  const state = heldUpState(reason);
  // Servers that are reinstalled are retained until the control plane is wiped.
  const going = reset.nodes === 'Delete' ? machines : 0;
  const left = reset.phase === 'Starting' ? made.total - made.done : going + CONTROL_PLANE_STEPS + nodes;
  const steps = stepsWith(last, 'Reset', { left });
  const expectedSeconds = measuredSeconds(durations, 'Reset');
  return { type: 'Reset', state, description, reason, steps, progress: percentOf(steps), expectedSeconds };
}

/** It is wiped, and restarted. */
const CONTROL_PLANE_STEPS = 2;

interface ResetProgress {
  readonly machines: number;
  /** How many the pools specify. */
  readonly nodes: number;
  readonly ready: ConditionState;
  /** The progress of a cluster that is being created. */
  readonly made: NonNullable<Operation['steps']>;
}
