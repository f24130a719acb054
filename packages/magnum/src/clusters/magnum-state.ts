import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import { ROTATE_CREDENTIALS_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { LastOperation } from '@fairway/api/kinds/status';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Condition, ObjectMeta } from '@fairway/kube/object/meta';
import { mayBePending } from './pending.ts';
import { clusterRecord, DEFAULT_WORKER, poolRecord } from './record.ts';

/** Magnum states that a cluster or nodegroup can have here. */
export type MagnumStatus = `${'CREATE' | 'UPDATE' | 'DELETE'}_${'IN_PROGRESS' | 'COMPLETE' | 'FAILED'}`;

export interface MagnumState {
  readonly status: MagnumStatus;
  /** Never empty: describes the current operation and what it is waiting for, or what is wrong. */
  readonly reason: string;
}

/** Default of `create_timeout` in minutes; 0 means no limit. */
export const DEFAULT_CREATE_TIMEOUT = 60;

interface ObservedObject {
  readonly metadata: ObjectMeta;
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly conditions?: readonly Condition[] | undefined;
        readonly lastOperation?: LastOperation | undefined;
      }
    | undefined;
}

/** State of a nodegroup. Pure. */
export function nodegroupState(pool: NodePool, nowMs: number): MagnumState {
  return stateOf(pool, poolRecord(pool).updated_at !== undefined, nowMs);
}

/**
 * State of a cluster with its pools; a change to a pool counts as a change to the cluster. A change is reported as soon
 * as it is stored, before a controller observes it, because clients treat the first state other than `*_IN_PROGRESS` as
 * final. Pure.
 */
export function clusterState(cluster: Cluster, pools: readonly NodePool[], nowMs: number): MagnumState {
  const record = clusterRecord(cluster);
  const own = stateOf(cluster, record.updated_at !== undefined, nowMs);
  if (own.status === 'CREATE_IN_PROGRESS') return withTimeout(cluster, record.create_timeout, own, nowMs);
  if (!own.status.endsWith('COMPLETE')) return own;
  // A rotation is requested with an annotation, which does not change the generation.
  const rotation = cluster.metadata.annotations?.[ROTATE_CREDENTIALS_ANNOTATION];
  if (rotation !== undefined && rotation !== cluster.status?.credentials?.rotation) {
    return { status: 'UPDATE_IN_PROGRESS', reason: 'a rotation of its certificate authorities was requested' };
  }
  if (isWorkerPending(cluster, pools, nowMs)) {
    return { status: 'CREATE_IN_PROGRESS', reason: `nodegroup ${DEFAULT_WORKER} is being created` };
  }
  for (const pool of pools) {
    const { status, reason } = nodegroupState(pool, nowMs);
    const name = pool.metadata.name ?? '';
    // Creation includes the requested nodes: clients that wait for CREATE_COMPLETE treat any other state as final.
    const isPartOfCreation = own.status === 'CREATE_COMPLETE' && poolRecord(pool).name === DEFAULT_WORKER;
    const verb = isPartOfCreation && status.startsWith('CREATE') ? 'CREATE' : 'UPDATE';
    const nodegroupReason = `nodegroup ${name}: ${reason}`;
    if (status.endsWith('IN_PROGRESS')) return { status: `${verb}_IN_PROGRESS`, reason: nodegroupReason };
    if (status.endsWith('FAILED')) return { status: `${verb}_FAILED`, reason: nodegroupReason };
  }
  return own;
}

/** Whether the cluster's first nodegroup may still be created. Pure. */
export function isWorkerPending(cluster: Cluster, pools: readonly NodePool[], nowMs: number): boolean {
  return pools.length === 0 && clusterRecord(cluster).request !== undefined && mayBePending(cluster.metadata, nowMs);
}

/**
 * Clients treat a failure as final, so it is reported only after it has lasted this long, and only if the next
 * reconcile cannot fix it.
 */
const MIN_FAILURE_MS = 60_000;
/** Operations that may fail permanently; other operations continue, or `lastOperation` reports their failure. */
const FALLIBLE_OPERATIONS: ReadonlySet<LastOperation['type']> = new Set(['Create', 'Reconcile', 'Scale', 'Delete']);
/** Reasons that are resolved automatically when the drain timeout expires. */
const DRAIN_REASONS: ReadonlySet<string | undefined> = new Set([
  'PodDisruptionBudget',
  'DrainHeld',
] satisfies ConditionReason[]);

/** Whether only the user or the operator can resolve the failure. */
function isFailed({ type, state, reason, since = '' }: LastOperation, nowMs: number): boolean {
  if (state === 'Failed') return true;
  if (state !== 'Error' || !FALLIBLE_OPERATIONS.has(type) || DRAIN_REASONS.has(reason)) return false;
  const actor = actionRequiredBy(reason as ConditionReason);
  return (actor === 'user' || actor === 'operator') && nowMs - Date.parse(since) >= MIN_FAILURE_MS;
}

function stateOf({ metadata, status }: ObservedObject, wasChanged: boolean, nowMs: number): MagnumState {
  const { lastOperation: last } = status ?? {};
  if (metadata.deletionTimestamp !== undefined) {
    const isDeletion = last?.type === 'Delete';
    const reason = (isDeletion && last.description) || 'it is being deleted';
    return { status: isDeletion && isFailed(last, nowMs) ? 'DELETE_FAILED' : 'DELETE_IN_PROGRESS', reason };
  }
  const isNew = last === undefined || (last.type === 'Create' && last.state !== 'Succeeded');
  const verb = isNew ? 'CREATE' : 'UPDATE';
  if (last === undefined || status?.observedGeneration !== metadata.generation) {
    return {
      status: `${verb}_IN_PROGRESS`,
      reason: isNew ? waitingReason(status?.conditions) : 'Fairway has not observed the change yet',
    };
  }
  if (isFailed(last, nowMs)) return { status: `${verb}_FAILED`, reason: last.description };
  // No change has been requested since it was created; the health of the cluster reports problems.
  const isUnchanged = last.type === 'Reconcile' && metadata.generation === 1 && !wasChanged;
  if (isUnchanged) return { status: 'CREATE_COMPLETE', reason: last.description };
  if (last.state !== 'Succeeded')
    return { status: `${verb}_IN_PROGRESS`, reason: `${last.type} ${last.progress}%: ${last.description}` };
  const isCreation = last.type === 'Create' && !wasChanged;
  return { status: isCreation ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE', reason: last.description };
}

function waitingReason(conditions: readonly Condition[] | undefined): string {
  return findCondition(conditions, 'Ready')?.message ?? 'Fairway has not reconciled it yet';
}

/** Reports a failure once `create_timeout` has passed, even though Fairway keeps retrying. */
function withTimeout(
  { metadata }: Cluster,
  minutes: number | undefined,
  state: MagnumState,
  nowMs: number,
): MagnumState {
  const allowed = minutes ?? DEFAULT_CREATE_TIMEOUT;
  const ageMs = nowMs - Date.parse(metadata.creationTimestamp ?? '');
  if (allowed === 0 || !(ageMs > allowed * 60_000)) return state;
  return {
    status: 'CREATE_FAILED',
    reason: `not ready after ${allowed} minutes; Fairway keeps retrying: ${state.reason}`,
  };
}
