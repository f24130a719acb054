import type { Machine } from '@fairway/api/kinds/machine';
import type { LastOperation } from '@fairway/api/kinds/status';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { KindName } from '../resources/kind-names.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Goal } from './goal.ts';
import { operationText } from './operation-text.ts';
import { DONE, RUNNING, type Step } from './step.ts';

/** The watched object, identified by its UID. */
export interface WatchedObject {
  readonly kind: KindName;
  readonly name: string;
  readonly uid: string | undefined;
}

interface OperatedObject extends KubeObject {
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly lastOperation?: LastOperation | undefined;
        readonly marks?: NonNullable<Machine['status']>['marks'];
      }
    | undefined;
}

/**
 * No operation is in progress on a cluster and its pools, on a pool, or on a machine, or the object is deleted. The
 * watch continues even while somebody must act.
 */
export function operationEnded(watched: WatchedObject): Goal {
  const { kind, name } = watched;
  return {
    subject: `${SUBJECTS[kind]} "${name}"`,
    watch: `fairway ${kind} get ${name} --watch`,
    steps: (view) => {
      const own = watchedObjects(view, watched);
      const parts = kind === 'nodepool' && own.length > 0 ? nodesOf(view, name) : [];
      return [
        ...own.map((object) => stepOf(titleOf(watched, object), object)),
        ...parts.map((machine) => ({ ...stepOf(`machine ${machine.metadata.name}`, machine), isPart: true })),
      ];
    },
    outcome: (view) => {
      const objects = watchedObjects(view, watched);
      if (!objects.every(isFinished)) return RUNNING;
      const failed = objects.find(({ status }) => status?.lastOperation?.state === 'Failed');
      const { reason = 'Failed', description = '' } = failed?.status?.lastOperation ?? {};
      return failed === undefined ? DONE : { state: 'failed', reason, message: description };
    },
  };
}

/** Names of the kinds in messages. */
export const SUBJECTS: Readonly<Record<KindName, string>> = {
  cluster: 'cluster',
  nodepool: 'node pool',
  machine: 'machine',
};

/** The objects of a watch, the watched one first; empty once it is deleted. */
export function watchedObjects(
  { cluster, pools, machines }: ClusterView,
  { kind, uid }: WatchedObject,
): readonly OperatedObject[] {
  const isWatched = ({ metadata }: KubeObject) => metadata.uid === uid;
  switch (kind) {
    case 'cluster':
      return cluster && isWatched(cluster) ? [cluster, ...pools.toSorted(byName)] : [];
    case 'nodepool':
      return pools.filter(isWatched);
    case 'machine':
      return machines.filter(isWatched);
  }
}

function nodesOf({ machines }: ClusterView, poolName: string): readonly OperatedObject[] {
  return machines.filter(({ spec }) => spec.nodePoolName === poolName).toSorted(byName);
}

function titleOf({ kind, uid }: WatchedObject, { metadata }: KubeObject): string {
  if (kind === 'cluster') return metadata.uid === uid ? 'cluster' : `pool ${metadata.name}`;
  return `${kind === 'nodepool' ? 'pool' : 'machine'} ${metadata.name}`;
}

function stepOf(title: string, object: OperatedObject): Step {
  const operation = object.status?.lastOperation;
  if (operation === undefined) return { key: title, title, state: 'waiting', detail: '' };
  if (isFinished(object)) return { key: title, title, state: 'done', detail: operation.description };
  const mark = dueMark(object);
  if (operation.state === 'Succeeded' && mark) return { key: title, title, state: 'running', detail: mark.message };
  const { type, steps, progress: percent } = operation;
  const progress = steps ?? { done: percent, total: 100 };
  const share = steps === undefined ? `${percent} %` : `${steps.done}/${steps.total}`;
  return { key: title, title, state: 'running', detail: `${type} ${share}, ${operationText(operation)}`, progress };
}

/** True only if the current spec is observed. */
function isFinished(object: OperatedObject): boolean {
  const { metadata, status } = object;
  const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const state = status?.lastOperation?.state;
  const hasEnded = state === 'Succeeded' || state === 'Failed';
  return isCurrent && hasEnded && metadata.deletionTimestamp === undefined && dueMark(object) === undefined;
}

/** Why a machine is about to be repaired or replaced, although nothing has begun yet. */
function dueMark({ status }: OperatedObject) {
  const { repair, renewal } = status?.marks ?? {};
  return [repair, renewal].find((mark) => mark?.due);
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
}
