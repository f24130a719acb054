import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import type { Condition } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import type { ClusterView } from './cluster-view.ts';
import type { Watched } from './operation-goal.ts';
import { inState, parseWaitTarget, type WaitTarget } from './wait-goal.ts';

test.each<{ text: string; target: WaitTarget | undefined }>([
  { text: 'Ready', target: { state: 'ready' } },
  { text: 'ready', target: { state: 'ready' } },
  { text: 'deleted', target: { state: 'deleted' } },
  { text: 'delete', target: { state: 'deleted' } },
  { text: 'upgraded', target: { state: 'upgraded' } },
  { text: 'condition=UpToDate', target: { state: 'condition', type: 'UpToDate', status: 'True' } },
  { text: 'condition=Ready=false', target: { state: 'condition', type: 'Ready', status: 'false' } },
  { text: 'condition=', target: undefined },
  { text: 'gone', target: undefined },
])('--for=$text', ({ text, target }) => {
  expect(parseWaitTarget(text)).toEqual(target);
});

const condition = (type: string, status: 'True' | 'False' = 'True', reason = 'AsExpected'): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const ready = { observedGeneration: 1, conditions: [condition('Ready'), condition('ControlPlaneReady')] };
const broken = { observedGeneration: 1, conditions: [condition('Ready', 'False', 'QuotaExceeded')] };

function view({ cluster = {}, pool = ready, machine = {} }: Record<string, object> = {}): ClusterView {
  return {
    cluster: {
      ...aCluster({ version: '1.36.3' }, { name: 'demo', uid: 'c', generation: 1 }),
      status: { version: '1.36.3', ...ready, ...cluster },
    },
    pools: [{ ...aNodePool({}, { name: 'general', uid: 'p', generation: 1 }), status: pool }],
    machines: [
      {
        metadata: { name: 'm', uid: 'm', generation: 1 },
        spec: { nodePoolName: 'general', clusterName: 'demo', version: '1.36.3' },
        status: { version: '1.36.3', phase: 'Ready', ...ready, ...machine },
      } as object as Machine,
    ],
  };
}
const NOTHING: ClusterView = { cluster: undefined, pools: [], machines: [] };
const cluster: Watched = { kind: 'cluster', name: 'demo', uid: 'c' };
const pool: Watched = { kind: 'nodepool', name: 'general', uid: 'p' };
const machine: Watched = { kind: 'machine', name: 'm', uid: 'm' };

test.each<{ watched: Watched; target: string; view: ClusterView; state: string; reason: string }>([
  { watched: cluster, target: 'Ready', view: view(), state: 'done', reason: 'it is, and so are its pools' },
  { watched: cluster, target: 'Ready', view: view({ pool: {} }), state: 'running', reason: 'a pool is not seen yet' },
  { watched: cluster, target: 'Ready', view: view({ pool: broken }), state: 'blocked', reason: 'a pool needs help' },
  { watched: cluster, target: 'Ready', view: NOTHING, state: 'failed', reason: 'it is gone' },
  { watched: pool, target: 'Ready', view: view({ cluster: broken }), state: 'done', reason: 'a pool for itself' },
  { watched: machine, target: 'Ready', view: view(), state: 'done', reason: 'a machine' },
  { watched: cluster, target: 'deleted', view: view(), state: 'running', reason: 'it is there' },
  { watched: cluster, target: 'deleted', view: NOTHING, state: 'done', reason: 'it is gone' },
  { watched: { ...cluster, uid: 'x' }, target: 'deleted', view: view(), state: 'done', reason: 'another of its name' },
  { watched: machine, target: 'deleted', view: NOTHING, state: 'done', reason: 'a machine is gone' },
  { watched: cluster, target: 'upgraded', view: view(), state: 'done', reason: 'all run the version' },
  {
    watched: cluster,
    target: 'upgraded',
    view: view({ machine: { version: '1.35.1' } }),
    state: 'running',
    reason: 'a node runs the version of before',
  },
  {
    watched: pool,
    target: 'upgraded',
    view: view({ machine: { version: '1.35.1' } }),
    state: 'running',
    reason: 'a node of the pool does',
  },
  {
    watched: pool,
    target: 'upgraded',
    view: view({ machine: { version: '1.35.1' }, pool: { ...ready, upgrade: { state: 'Aborted' } } }),
    state: 'failed',
    reason: 'somebody has aborted it',
  },
  { watched: pool, target: 'upgraded', view: view(), state: 'done', reason: 'all nodes of the pool run it' },
  { watched: machine, target: 'upgraded', view: view(), state: 'done', reason: 'a machine runs it' },
  {
    watched: machine,
    target: 'upgraded',
    view: view({ machine: { phase: 'Draining' } }),
    state: 'running',
    reason: 'it leaves',
  },
  {
    watched: cluster,
    target: 'condition=Ready',
    view: view({ pool: broken }),
    state: 'done',
    reason: 'its own condition',
  },
  {
    watched: cluster,
    target: 'condition=Ready=False',
    view: view({ cluster: broken }),
    state: 'done',
    reason: 'its value',
  },
  { watched: cluster, target: 'condition=UpToDate', view: view(), state: 'running', reason: 'no such condition yet' },
])('$watched.kind --for=$awaited: $state, as $reason', ({ watched, target, view, state }) => {
  const wanted = parseWaitTarget(target);

  expect(wanted && inState(watched, wanted).outcome(view).state).toBe(state);
});
