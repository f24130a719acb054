import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ClusterView } from './cluster-view.ts';
import { deletion, type Goal, gone, type Reporting, readiness, worst } from './goal.ts';
import { operationOver, principals, SUBJECTS, type Watched } from './operation-goal.ts';
import { DONE, type Outcome, RUNNING } from './step.ts';
import { clusterUpgraded, isUpgraded } from './upgrade-goal.ts';

/** What is waited for: a state, or a condition of the object's status. */
export type WaitTarget =
  | { readonly state: 'ready' | 'deleted' | 'upgraded' }
  | { readonly state: 'condition'; readonly type: string; readonly status: string };

const STATES: Readonly<Record<string, WaitTarget>> = {
  ready: { state: 'ready' },
  deleted: { state: 'deleted' },
  delete: { state: 'deleted' },
  upgraded: { state: 'upgraded' },
};

/** Reads `Ready`, `deleted`, `upgraded`, or as kubectl `condition=TYPE` and `condition=TYPE=STATUS`; undefined for anything else. */
export function parseWaitTarget(text: string): WaitTarget | undefined {
  const known = STATES[text.toLowerCase()];
  if (known !== undefined) return known;
  const [, type, status = 'True'] = /^condition=([^=]+)(?:=([^=]+))?$/i.exec(text) ?? [];
  return type === undefined ? undefined : { state: 'condition', type, status };
}

/** An object that exists is in the awaited state. */
export function inState(watched: Watched, target: WaitTarget): Goal {
  return { ...operationOver(watched), outcome: (view) => outcomeIn(view, watched, target) };
}

function outcomeIn(view: ClusterView, watched: Watched, target: WaitTarget): Outcome {
  const objects = principals(view, watched);
  const [object] = objects;
  if (target.state === 'deleted') return deletion(object);
  if (object === undefined) return gone(`the ${SUBJECTS[watched.kind]} was deleted in the meantime`);
  switch (target.state) {
    // Of a cluster its pools too: it has no nodes without them.
    case 'ready':
      return worst(objects.map(readiness));
    case 'condition':
      return hasCondition(object, target) ? DONE : RUNNING;
    case 'upgraded':
      return upgrade(view, watched, object);
  }
}

function upgrade(view: ClusterView, { kind, name }: Watched, object: Reporting): Outcome {
  const { cluster } = view;
  if (cluster === undefined) return gone('the cluster was deleted in the meantime');
  const wanted = cluster.spec.version ?? cluster.status?.version;
  if (wanted === undefined) return RUNNING;
  if (kind === 'cluster') return clusterUpgraded(name, wanted).outcome(view);
  if (kind === 'machine') return isUpgraded(object as Machine, wanted) ? DONE : RUNNING;
  const ofPool = view.machines.filter(({ spec }) => spec.nodePoolName === name);
  if (ofPool.every((machine) => isUpgraded(machine, wanted))) return readiness(object);
  const { state, reason = 'Failed', message = '' } = (object as NodePool).status?.upgrade ?? {};
  return state === 'Aborted' ? { state: 'failed', reason, message } : RUNNING;
}

function hasCondition(
  { status }: Reporting,
  { type, status: wanted }: Extract<WaitTarget, { state: 'condition' }>,
): boolean {
  const found = status?.conditions?.find((condition) => condition.type.toLowerCase() === type.toLowerCase());
  return found?.status.toLowerCase() === wanted.toLowerCase();
}
