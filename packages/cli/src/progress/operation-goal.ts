import type { Machine } from '@fairway/api/kinds/machine';
import type { LastOperation } from '@fairway/api/kinds/status';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { KindName } from '../resources/kind-names.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Goal } from './goal.ts';
import { operationText } from './operation-text.ts';
import { DONE, RUNNING, type Step } from './step.ts';

/** What is watched: this object, and no later one of its name. */
export interface Watched {
  readonly kind: KindName;
  readonly name: string;
  readonly uid: string | undefined;
}

interface Operated extends KubeObject {
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly lastOperation?: LastOperation | undefined;
        readonly marks?: NonNullable<Machine['status']>['marks'];
      }
    | undefined;
}

/**
 * Nothing is being done any more to a cluster and its pools, to a pool, or to a machine, whatever it was; or it is gone. It is waited for whoever has to act:
 * a watch gives nothing up.
 */
export function operationOver(watched: Watched): Goal {
  const { kind, name } = watched;
  return {
    subject: `${SUBJECTS[kind]} "${name}"`,
    watch: `fairway ${kind} get ${name} --watch`,
    steps: (view) => {
      const own = principals(view, watched);
      const parts = kind === 'nodepool' && own.length > 0 ? nodesOf(view, name) : [];
      return [
        ...own.map((object) => stepOf(titleOf(watched, object), object)),
        ...parts.map((machine) => ({ ...stepOf(`machine ${machine.metadata.name}`, machine), isPart: true })),
      ];
    },
    outcome: (view) => {
      const objects = principals(view, watched);
      if (!objects.every(isOver)) return RUNNING;
      const failed = objects.find(({ status }) => status?.lastOperation?.state === 'Failed');
      const { reason = 'Failed', description = '' } = failed?.status?.lastOperation ?? {};
      return failed === undefined ? DONE : { state: 'failed', reason, message: description };
    },
  };
}

/** What messages call each kind. */
export const SUBJECTS: Readonly<Record<KindName, string>> = {
  cluster: 'cluster',
  nodepool: 'node pool',
  machine: 'machine',
};

/** What the watch is about, the watched object first; none once it is gone. */
export function principals({ cluster, pools, machines }: ClusterView, { kind, uid }: Watched): readonly Operated[] {
  const isIt = ({ metadata }: KubeObject) => metadata.uid === uid;
  switch (kind) {
    case 'cluster':
      return cluster && isIt(cluster) ? [cluster, ...pools.toSorted(byName)] : [];
    case 'nodepool':
      return pools.filter(isIt);
    case 'machine':
      return machines.filter(isIt);
  }
}

function nodesOf({ machines }: ClusterView, poolName: string): readonly Operated[] {
  return machines.filter(({ spec }) => spec.nodePoolName === poolName).toSorted(byName);
}

function titleOf({ kind, uid }: Watched, { metadata }: KubeObject): string {
  if (kind === 'cluster') return metadata.uid === uid ? 'cluster' : `pool ${metadata.name}`;
  return `${kind === 'nodepool' ? 'pool' : 'machine'} ${metadata.name}`;
}

function stepOf(title: string, object: Operated): Step {
  const operation = object.status?.lastOperation;
  if (operation === undefined) return { key: title, title, state: 'waiting', detail: '' };
  if (isOver(object)) return { key: title, title, state: 'done', detail: operation.description };
  const mark = dueMark(object);
  if (operation.state === 'Succeeded' && mark) return { key: title, title, state: 'running', detail: mark.message };
  const { type, steps, progress: percent } = operation;
  const progress = steps ?? { done: percent, total: 100 };
  const share = steps === undefined ? `${percent} %` : `${steps.done}/${steps.total}`;
  return { key: title, title, state: 'running', detail: `${type} ${share}, ${operationText(operation)}`, progress };
}

/** As the current spec asks for. */
function isOver(object: Operated): boolean {
  const { metadata, status } = object;
  const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const state = status?.lastOperation?.state;
  const hasEnded = state === 'Succeeded' || state === 'Failed';
  return isCurrent && hasEnded && metadata.deletionTimestamp === undefined && dueMark(object) === undefined;
}

/** Why a machine is about to be repaired or renewed, though nothing has begun yet. */
function dueMark({ status }: Operated) {
  const { repair, renewal } = status?.marks ?? {};
  return [repair, renewal].find((mark) => mark?.due);
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
}
