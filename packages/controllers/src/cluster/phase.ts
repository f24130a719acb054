import { actionRequiredBy, ConditionReason, isOutage } from '@fairway/api/conditions';
import type { ClusterPhase, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ConditionState } from '@fairway/kube/controller/conditions';

/** The conditions of one pass; `settings` is present only while it is not met. */
export interface ClusterStates {
  readonly network: ConditionState;
  readonly controlPlane: ConditionState;
  readonly settings: ConditionState | undefined;
  readonly nodePools: ConditionState;
  readonly ready: ConditionState;
}

/** Phases of a cluster that has never been ready. */
const NOT_YET_READY_PHASES: ReadonlySet<ClusterPhase | undefined> = new Set([
  undefined,
  'Pending',
  'Provisioning',
  'Failed',
]);

/** Reasons for changes that Fairway makes to a control plane on purpose. */
const PLANNED_REASONS: ReadonlySet<string> = new Set([ConditionReason.Updating, ConditionReason.Restoring]);

/**
 * The phase of a cluster, by cause. Degraded: something that worked no longer does, or a deadline has passed. Updating:
 * a requested change is not complete yet, no matter who has to act. Failed: a cluster that has never been ready is
 * waiting for a user or the operator.
 */
export function clusterPhase(
  states: ClusterStates,
  pools: readonly NodePool[],
  previous: ClusterStatus | undefined,
  generation: number,
): ClusterPhase {
  const { network, controlPlane, settings, nodePools, ready } = states;
  if (ready.status === 'True') return 'Ready';
  const reason = ready.reason as ConditionReason;
  const turn = actionRequiredBy(reason);
  if (reason === ConditionReason.NodeStartupTimeout) return 'Degraded';
  // The control plane starts automatically once the operator has installed the binaries.
  if (reason === ConditionReason.ProgramsMissing && NOT_YET_READY_PHASES.has(previous?.phase)) return 'Pending';
  if (NOT_YET_READY_PHASES.has(previous?.phase))
    return turn === 'fairway' || turn === 'cloud' ? 'Provisioning' : 'Failed';
  if (network.status !== 'True' && !isPending(network, previous, generation)) return 'Degraded';
  if (controlPlane.status !== 'True' && !PLANNED_REASONS.has(controlPlane.reason)) return 'Degraded';
  if (settings !== undefined) return 'Degraded';
  return nodePools.status !== 'True' && isAnyDegraded(pools, nodePools) ? 'Degraded' : 'Updating';
}

/**
 * Whether the network matches an earlier spec, and the new spec is waiting for Fairway or for a response from the
 * cloud.
 */
function isPending(network: ConditionState, previous: ClusterStatus | undefined, generation: number): boolean {
  const last = previous?.conditions?.find(({ type }) => type === network.type);
  const isProgressing =
    actionRequiredBy(network.reason as ConditionReason) === 'fairway' || isOutage(network.reason as ConditionReason);
  // Only the current phase records that, so it stays.
  return (
    isProgressing &&
    ((last?.status === 'True' && last.observedGeneration !== generation) || previous?.phase === 'Updating')
  );
}

function isAnyDegraded(pools: readonly NodePool[], nodePools: ConditionState): boolean {
  const phases = pools.flatMap(({ status }) => (status?.phase === undefined ? [] : [status.phase]));
  if (phases.length > 0) return phases.includes('Degraded');
  return actionRequiredBy(nodePools.reason as ConditionReason) !== 'fairway';
}
