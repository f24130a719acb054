import { actionRequiredBy, ConditionReason } from '@fairway/api/conditions';
import { sumOfReplicas } from '@fairway/api/domain/plan-limits';
import { isBeingWiped } from '@fairway/api/domain/reset';
import { isSameRestore, type RestoreRequest } from '@fairway/api/domain/restore-request';
import type { Cluster, ClusterPhase } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { LastOperation } from '@fairway/api/kinds/status';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { heldUpState, isOver, type Operation, operation } from '../operation.ts';
import { measuredSeconds } from './durations.ts';
import { type HibernationFacts, hibernateOperation } from './hibernation-status.ts';
import type { NodeCounts } from './node-counts.ts';
import { resetOperation } from './reset-status.ts';
import { rotationEnd, rotationOperation } from './rotation-operation.ts';
import { restoreOperation } from './snapshots.ts';

/** The conditions that indicate the progress of a cluster. */
interface ConditionStates {
  readonly network: ConditionState;
  readonly controlPlane: ConditionState;
  readonly ready: ConditionState;
}

interface OperationFacts extends HibernationFacts {
  readonly pools: readonly NodePool[];
  readonly controlPlane: ControlPlaneState | undefined;
  readonly nowMs: number;
}

/** The current operation of a cluster that is not being deleted, and its progress. Pure. */
export function lastOperation(
  cluster: Cluster,
  phase: ClusterPhase,
  states: ConditionStates,
  { nodes, upgrading }: { readonly nodes: NodeCounts; readonly upgrading: Operation | undefined },
  facts: OperationFacts,
): LastOperation {
  const { spec, status } = cluster;
  const last = status?.lastOperation;
  const { ready } = states;
  const { nowMs } = facts;
  const creation = progressOf(states, nodes);
  const desiredNodes = sumOfReplicas(facts.pools);
  const resetting = resetOperation(
    { ...status },
    { machines: facts.machines, nodes: desiredNodes, ready, creation: creation.steps },
  );
  if (resetting && isBeingWiped(cluster)) return operation(last, resetting, nowMs);
  const hibernating = hibernateOperation({ ...status }, facts, { nodes: desiredNodes, ready });
  if (hibernating) return operation(last, hibernating, nowMs);
  const restoring = restoreOperation(facts.controlPlane, { nodes: nodes.desired, durations: status?.durations });
  if (restoring) return operation(last, restoring, nowMs);
  if (resetting && phase !== 'Ready') return operation(last, resetting, nowMs);
  const type = operationType(last, phase);
  const rotating = rotationOperation(status, upgrading, phase === 'Ready');
  if (rotating && (phase === 'Ready' || !BEFORE_UPGRADE_TYPES.has(type))) {
    return operation(last, withProblem(rotating, ready), nowMs);
  }
  // An operation in progress is completed first, and a finished one is reported until another one starts.
  const isLater = BEFORE_UPGRADE_TYPES.has(type) || upgrading?.state === 'Failed';
  if (upgrading && (phase === 'Ready' || !isLater)) return operation(last, withProblem(upgrading, ready), nowMs);
  if (phase === 'Ready') {
    const restored = facts.controlPlane?.snapshots?.restored ?? status?.etcd?.lastRestore;
    const isDropped = last?.type === 'Restore' && isRestoreDropped(last, spec.etcd?.restore, restored);
    const ended = isDropped ? 'Reconcile' : (last?.type ?? 'Create');
    const description = (ended === 'RotateCredentials' && rotationEnd(status)) || 'the cluster is ready';
    return operation(last, { type: ended, state: 'Succeeded', progress: 100, description }, nowMs);
  }
  const { progress, steps } = creation;
  const isWaiting = ready.reason === ConditionReason.ProgramsMissing && phase === 'Pending';
  const state = isWaiting ? 'Pending' : heldUpState(ready.reason);
  const expectedSeconds = measuredSeconds(status?.durations, type);
  const estimatedEndTime = expectedSeconds === undefined ? lastEndTime(states, facts.pools) : undefined;
  const estimate = { expectedSeconds, estimatedEndTime };
  const { message: description, reason } = ready;
  return operation(last, { type, state, progress, description, reason, steps, ...estimate }, nowMs);
}

const BEFORE_UPGRADE_TYPES: ReadonlySet<LastOperation['type']> = new Set(['Create', 'Restore', 'Wake']);

/** An operation keeps its type until it has succeeded. */
function operationType(last: LastOperation | undefined, phase: ClusterPhase): LastOperation['type'] {
  if (phase === 'Waking') return 'Wake';
  if (last === undefined) return 'Create';
  const isUnfinished = last.state !== 'Succeeded';
  const keepsType = last.type === 'Wake' || last.type === 'Create' || last.type === 'Restore';
  if (isUnfinished && keepsType) return last.type;
  return last.type === 'Upgrade' && !isOver(last) ? 'Upgrade' : 'Reconcile';
}

/** An upgrade of a cluster with a problem reports the problem; its progress is still valid. */
function withProblem(upgrading: Operation, { status, reason, message }: ConditionState): Operation {
  if (status === 'True' || actionRequiredBy(reason as ConditionReason) === 'fairway') return upgrading;
  const { type, progress, steps } = upgrading;
  return { type, progress, steps, state: 'Error', reason, description: message };
}

/**
 * A failed operation that is no longer requested did not succeed, and neither did one whose request had been fulfilled
 * long before.
 */
function isRestoreDropped(
  { state }: LastOperation,
  requestedRestore: RestoreRequest | undefined,
  restored: RestoreRequest | undefined,
): boolean {
  return requestedRestore === undefined || (state !== 'Succeeded' && !isSameRestore(requestedRestore, restored));
}

/** Network and control plane count for a quarter each, nodes for the rest. */
function progressOf(
  { network, controlPlane }: ConditionStates,
  { ready, desired }: NodeCounts,
): Pick<LastOperation, 'progress'> & { readonly steps: NonNullable<LastOperation['steps']> } {
  const metCount = [network, controlPlane].filter(({ status }) => status === 'True').length;
  const share = desired === 0 ? 1 : Math.min(ready / desired, 1);
  return {
    progress: metCount * 25 + Math.floor(share * 45),
    steps: { done: metCount + Math.min(ready, desired), total: 2 + desired },
  };
}

/** When the last active pool will be done, if nothing else is missing; undefined while unknown. */
function lastEndTime({ network, controlPlane }: ConditionStates, pools: readonly NodePool[]): string | undefined {
  if (network.status !== 'True' || controlPlane.status !== 'True') return undefined;
  const ends = pools.flatMap(({ status }) => {
    const { lastOperation } = status ?? {};
    return lastOperation && !isOver(lastOperation) ? [lastOperation.estimatedEndTime] : [];
  });
  return ends.includes(undefined) ? undefined : ends.toSorted(compareTimes).at(-1);
}

function compareTimes(a: string | undefined, b: string | undefined): number {
  return Date.parse(a ?? '') - Date.parse(b ?? '');
}
