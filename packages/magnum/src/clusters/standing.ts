import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { LastOperation } from '@fairway/api/kinds/status';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Condition, ObjectMeta } from '@fairway/kube/object/meta';
import { clusterRecord, poolRecord } from './record.ts';

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
export function poolStanding(pool: NodePool): Standing {
  return standingOf(pool, poolRecord(pool).updated_at !== undefined);
}

/**
 * How a cluster stands, with its pools: what was asked of one of them is asked of the cluster. A change is told of from the moment it is stored, before any
 * controller has seen it: clients take the first state that is not `*_IN_PROGRESS` for the end. Pure.
 */
export function clusterStanding(cluster: Cluster, pools: readonly NodePool[], nowMs: number): Standing {
  const record = clusterRecord(cluster);
  const own = standingOf(cluster, record.updated_at !== undefined);
  if (own.status === 'CREATE_IN_PROGRESS') return timedOut(cluster, record.create_timeout, own, nowMs);
  if (!own.status.endsWith('COMPLETE')) return own;
  for (const pool of pools) {
    const { status, reason } = poolStanding(pool);
    const name = pool.metadata.name ?? '';
    if (status.endsWith('IN_PROGRESS')) return { status: 'UPDATE_IN_PROGRESS', reason: `nodegroup ${name}: ${reason}` };
    if (status.endsWith('FAILED')) return { status: 'UPDATE_FAILED', reason: `nodegroup ${name}: ${reason}` };
  }
  return own;
}

function standingOf({ metadata, status }: Observed, wasChanged: boolean): Standing {
  const { lastOperation: last } = status ?? {};
  if (metadata.deletionTimestamp !== undefined) {
    const isOfDeletion = last?.type === 'Delete';
    const reason = (isOfDeletion && last.description) || 'it is being deleted';
    return { status: isOfDeletion && last.state === 'Failed' ? 'DELETE_FAILED' : 'DELETE_IN_PROGRESS', reason };
  }
  const isNew = last === undefined || (last.type === 'Create' && last.state !== 'Succeeded');
  const verb = isNew ? 'CREATE' : 'UPDATE';
  if (last === undefined || status?.observedGeneration !== metadata.generation) {
    return {
      status: `${verb}_IN_PROGRESS`,
      reason: isNew ? waiting(status?.conditions) : 'Fairway has not looked at the change yet',
    };
  }
  if (last.state === 'Failed') return { status: `${verb}_FAILED`, reason: last.description };
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
