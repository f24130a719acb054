import { ConditionType } from '@fairway/api/conditions';
import type { InClusterNodePool, InClusterNodePoolStatus } from '@fairway/api/kinds/in-cluster-node-pool';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { truncate } from '@fairway/base/truncate';
import { type ConditionState, findCondition, setCondition } from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';

/** The outcome of a request made in the cluster. */
export interface RequestOutcome {
  readonly isAccepted: boolean;
  /** In one CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

const UNCHANGED_OUTCOME: RequestOutcome = { isAccepted: true, reason: 'AsExpected', message: '' };
const MAX_MESSAGE_LENGTH = 8_192;

interface StatusFacts {
  readonly inner: InClusterNodePool;
  readonly outer: NodePool | undefined;
  /** If undefined, nothing was requested, and the last report remains. */
  readonly outcome: RequestOutcome | undefined;
  /** As `mergeBaseText` returns it; undefined if the object reflects no pool. */
  readonly shown: string | undefined;
  readonly nowMs: number;
}

/** The status of an object in the cluster: the state of the pool, limited to what its users need. Pure. */
export function innerStatus({ inner, outer, outcome, shown, nowMs }: StatusFacts): InClusterNodePoolStatus {
  const generation = inner.metadata.generation ?? 0;
  const known = inner.status?.conditions;
  const old = findCondition(known, ConditionType.Accepted);
  const isReported = outcome === undefined && old !== undefined && old.status !== 'Unknown';
  const accepted = isReported ? old : acceptedCondition(outcome ?? UNCHANGED_OUTCOME, generation);
  const ready = readyCondition(outer, accepted, generation);
  const conditions = [accepted, ready].reduce(
    (list, condition) => setCondition(list, condition, nowMs),
    ownConditions(known),
  );
  return {
    observedGeneration: generation,
    ...(shown !== undefined && { shown }),
    conditions: [...conditions],
    ...poolFacts(outer),
  };
}

/** The part of a pool's status that its object in the cluster reflects. */
export function poolStatus(outer: NodePool): unknown {
  const { status, reason, message } = findCondition(outer.status?.conditions, ConditionType.Ready) ?? {};
  return [poolFacts(outer), status, reason, message];
}

/** The reported part of a pool's status in addition to its conditions. */
function poolFacts(outer: NodePool | undefined) {
  const { status } = outer ?? {};
  return {
    ...(status?.phase !== undefined && { phase: status.phase }),
    ...(status?.desiredReplicas !== undefined && { desiredReplicas: status.desiredReplicas }),
    replicas: status?.replicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    availableReplicas: status?.availableReplicas ?? 0,
    ...(status?.readySummary !== undefined && { readySummary: status.readySummary }),
    ...(status?.lastOperation?.summary !== undefined && { operation: status.lastOperation.summary }),
    ...(status?.version !== undefined && { version: status.version }),
  };
}

function acceptedCondition({ isAccepted, reason, message }: RequestOutcome, generation: number): ConditionState {
  return {
    type: ConditionType.Accepted,
    status: isAccepted ? 'True' : 'False',
    reason,
    message: truncate(message, MAX_MESSAGE_LENGTH),
    observedGeneration: generation,
  };
}

/** If Fairway has no such pool, the object is not ready, with the reason for its rejection. */
function readyCondition(outer: NodePool | undefined, accepted: ConditionState, generation: number): ConditionState {
  const ready = findCondition(outer?.status?.conditions, ConditionType.Ready);
  const { status = 'Unknown', reason = 'Provisioning', message = 'Waiting for Fairway to process it.' } = ready ?? {};
  const state =
    outer === undefined
      ? { status: 'False' as const, reason: accepted.reason, message: accepted.message }
      : { status, reason, message: truncate(message, MAX_MESSAGE_LENGTH) };
  return { type: ConditionType.Ready, ...state, observedGeneration: generation };
}

/** Only Fairway's conditions: a tenant may have added others. */
function ownConditions(conditions: readonly Condition[] | undefined): readonly Condition[] {
  const types: readonly string[] = [ConditionType.Accepted, ConditionType.Ready];
  return Array.isArray(conditions) ? conditions.filter(({ type }) => types.includes(type)) : [];
}
