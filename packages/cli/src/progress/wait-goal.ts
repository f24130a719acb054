import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ClusterView } from './cluster-view.ts';
import { deletion, type Goal, notFoundOutcome, type ReportingObject, readiness, worstOutcome } from './goal.ts';
import { operationEnded, SUBJECTS, type WatchedObject, watchedObjects } from './operation-goal.ts';
import { DONE, type Outcome, RUNNING } from './step.ts';
import { clusterUpgraded, isUpgraded } from './upgrade-goal.ts';

/** What to wait for: a state, or a condition of the object's status. */
export type WaitTarget =
  | { readonly state: 'ready' | 'deleted' | 'upgraded' }
  | { readonly state: 'condition'; readonly type: string; readonly status: string };

const TARGETS_BY_NAME: Readonly<Record<string, WaitTarget>> = {
  ready: { state: 'ready' },
  deleted: { state: 'deleted' },
  delete: { state: 'deleted' },
  upgraded: { state: 'upgraded' },
};

/**
 * Parses `Ready`, `deleted`, `upgraded`, or as in kubectl `condition=TYPE` and `condition=TYPE=STATUS`; undefined for
 * anything else.
 */
export function parseWaitTarget(text: string): WaitTarget | undefined {
  const known = TARGETS_BY_NAME[text.toLowerCase()];
  if (known !== undefined) return known;
  const [, type, status = 'True'] = /^condition=([^=]+)(?:=([^=]+))?$/i.exec(text) ?? [];
  return type === undefined ? undefined : { state: 'condition', type, status };
}

/** An existing object reaches the awaited state. */
export function stateReached(watched: WatchedObject, target: WaitTarget): Goal {
  return { ...operationEnded(watched), outcome: (view) => targetOutcome(view, watched, target) };
}

function targetOutcome(view: ClusterView, watched: WatchedObject, target: WaitTarget): Outcome {
  const objects = watchedObjects(view, watched);
  const [object] = objects;
  if (target.state === 'deleted') return deletion(object);
  if (object === undefined) return notFoundOutcome(`the ${SUBJECTS[watched.kind]} was deleted in the meantime`);
  switch (target.state) {
    // A cluster includes its pools, without which it has no nodes.
    case 'ready':
      return worstOutcome(objects.map(readiness));
    case 'condition':
      return hasCondition(object, target) ? DONE : RUNNING;
    case 'upgraded':
      return upgrade(view, watched, object);
  }
}

function upgrade(view: ClusterView, { kind, name }: WatchedObject, object: ReportingObject): Outcome {
  const { cluster } = view;
  if (cluster === undefined) return notFoundOutcome('the cluster was deleted in the meantime');
  const expected = cluster.spec.version ?? cluster.status?.version;
  if (expected === undefined) return RUNNING;
  if (kind === 'cluster') return clusterUpgraded(name, expected).outcome(view);
  if (kind === 'machine') return isUpgraded(object as Machine, expected) ? DONE : RUNNING;
  const poolMachines = view.machines.filter(({ spec }) => spec.nodePoolName === name);
  if (poolMachines.every((machine) => isUpgraded(machine, expected))) return readiness(object);
  const { state, reason = 'Failed', message = '' } = (object as NodePool).status?.upgrade ?? {};
  return state === 'Aborted' ? { state: 'failed', reason, message } : RUNNING;
}

function hasCondition(
  { status }: ReportingObject,
  { type, status: expected }: Extract<WaitTarget, { state: 'condition' }>,
): boolean {
  const found = status?.conditions?.find((condition) => condition.type.toLowerCase() === type.toLowerCase());
  return found?.status.toLowerCase() === expected.toLowerCase();
}
