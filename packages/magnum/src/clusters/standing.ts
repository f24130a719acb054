import { type ConditionReason, turnOf } from '@fairway/api/conditions';
import { ROTATE_CREDENTIALS_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { LastOperation } from '@fairway/api/kinds/status';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Condition, ObjectMeta } from '@fairway/kube/object/meta';
import { isOwed } from './owed.ts';
import { clusterRecord, DEFAULT_WORKER, poolRecord } from './record.ts';

/** Those of Magnum's states that a cluster or nodegroup is in here. */
export type MagnumStatus = `${'CREATE' | 'UPDATE' | 'DELETE'}_${'IN_PROGRESS' | 'COMPLETE' | 'FAILED'}`;

export interface Standing {
  readonly status: MagnumStatus;
  /** Never empty: what is being done and what it waits for, or what is wrong. */
  readonly reason: string;
}

/** Minutes that a cluster has to be made where nobody says; 0 is no limit. */
export const DEFAULT_CREATE_TIMEOUT = 60;

interface Observed {
  readonly metadata: ObjectMeta;
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly conditions?: readonly Condition[] | undefined;
        readonly lastOperation?: LastOperation | undefined;
      }
    | undefined;
}

/** How a nodegroup stands. Pure. */
export function poolStanding(pool: NodePool, nowMs: number): Standing {
  return standingOf(pool, poolRecord(pool).updated_at !== undefined, nowMs);
}

/**
 * How a cluster stands, with its pools: what was asked of one of them is asked of the cluster. A change is told of from the moment it is stored, before any
 * controller has seen it: clients take the first state that is not `*_IN_PROGRESS` for the end. Pure.
 */
export function clusterStanding(cluster: Cluster, pools: readonly NodePool[], nowMs: number): Standing {
  const record = clusterRecord(cluster);
  const own = standingOf(cluster, record.updated_at !== undefined, nowMs);
  if (own.status === 'CREATE_IN_PROGRESS') return timedOut(cluster, record.create_timeout, own, nowMs);
  if (!own.status.endsWith('COMPLETE')) return own;
  // It is an annotation, so the generation does not tell of it.
  const rotation = cluster.metadata.annotations?.[ROTATE_CREDENTIALS_ANNOTATION];
  if (rotation !== undefined && rotation !== cluster.status?.credentials?.rotation) {
    return { status: 'UPDATE_IN_PROGRESS', reason: 'a rotation of its certificate authorities was asked for' };
  }
  if (isWorkerOwed(cluster, pools, nowMs)) {
    return { status: 'CREATE_IN_PROGRESS', reason: `nodegroup ${DEFAULT_WORKER} is being made` };
  }
  for (const pool of pools) {
    const { status, reason } = poolStanding(pool, nowMs);
    const name = pool.metadata.name ?? '';
    // The nodes that a cluster was asked for are a part of making it: clients that wait for CREATE_COMPLETE take any other state for the end.
    const isOfCreation = own.status === 'CREATE_COMPLETE' && poolRecord(pool).name === DEFAULT_WORKER;
    const verb = isOfCreation && status.startsWith('CREATE') ? 'CREATE' : 'UPDATE';
    const told = `nodegroup ${name}: ${reason}`;
    if (status.endsWith('IN_PROGRESS')) return { status: `${verb}_IN_PROGRESS`, reason: told };
    if (status.endsWith('FAILED')) return { status: `${verb}_FAILED`, reason: told };
  }
  return own;
}

/** Whether its first nodegroup may be on its way still. Pure. */
export function isWorkerOwed(cluster: Cluster, pools: readonly NodePool[], nowMs: number): boolean {
  return pools.length === 0 && clusterRecord(cluster).request !== undefined && isOwed(cluster.metadata, nowMs);
}

/** Clients take a failure for the end: it must have lasted, and not be what the next look at it mends. */
const SETTLED_MS = 60_000;
/** What may fail for good; what else is done goes on, or is told to have failed by `lastOperation`. */
const MAY_FAIL: ReadonlySet<LastOperation['type']> = new Set(['Create', 'Reconcile', 'Scale', 'Delete']);
/** They end by themselves, when the time for draining is over. */
const DRAINING: ReadonlySet<string | undefined> = new Set([
  'PodDisruptionBudget',
  'DrainHeld',
] satisfies ConditionReason[]);

/** Whether only the user or the operator can make it go on. */
function isFailed({ type, state, reason, since = '' }: LastOperation, nowMs: number): boolean {
  if (state === 'Failed') return true;
  if (state !== 'Error' || !MAY_FAIL.has(type) || DRAINING.has(reason)) return false;
  const turn = turnOf(reason as ConditionReason);
  return (turn === 'user' || turn === 'operator') && nowMs - Date.parse(since) >= SETTLED_MS;
}

function standingOf({ metadata, status }: Observed, wasChanged: boolean, nowMs: number): Standing {
  const { lastOperation: last } = status ?? {};
  if (metadata.deletionTimestamp !== undefined) {
    const isOfDeletion = last?.type === 'Delete';
    const reason = (isOfDeletion && last.description) || 'it is being deleted';
    return { status: isOfDeletion && isFailed(last, nowMs) ? 'DELETE_FAILED' : 'DELETE_IN_PROGRESS', reason };
  }
  const isNew = last === undefined || (last.type === 'Create' && last.state !== 'Succeeded');
  const verb = isNew ? 'CREATE' : 'UPDATE';
  if (last === undefined || status?.observedGeneration !== metadata.generation) {
    return {
      status: `${verb}_IN_PROGRESS`,
      reason: isNew ? waiting(status?.conditions) : 'Fairway has not looked at the change yet',
    };
  }
  if (isFailed(last, nowMs)) return { status: `${verb}_FAILED`, reason: last.description };
  // Nobody has asked for anything since: what is amiss is told by the cluster's health.
  const isUntouched = last.type === 'Reconcile' && metadata.generation === 1 && !wasChanged;
  if (isUntouched) return { status: 'CREATE_COMPLETE', reason: last.description };
  if (last.state !== 'Succeeded')
    return { status: `${verb}_IN_PROGRESS`, reason: `${last.type} ${last.progress}%: ${last.description}` };
  const isMade = last.type === 'Create' && !wasChanged;
  return { status: isMade ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE', reason: last.description };
}

function waiting(conditions: readonly Condition[] | undefined): string {
  return findCondition(conditions, 'Ready')?.message ?? 'Fairway has not looked at it yet';
}

/** `create_timeout`: Fairway goes on trying, and says that it took too long. */
function timedOut({ metadata }: Cluster, minutes: number | undefined, standing: Standing, nowMs: number): Standing {
  const allowed = minutes ?? DEFAULT_CREATE_TIMEOUT;
  const ageMs = nowMs - Date.parse(metadata.creationTimestamp ?? '');
  if (allowed === 0 || !(ageMs > allowed * 60_000)) return standing;
  return { status: 'CREATE_FAILED', reason: `not ready after ${allowed} minutes, and still tried: ${standing.reason}` };
}
