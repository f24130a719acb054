import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import type { Condition } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import type { ClusterView } from './cluster-view.ts';
import type { Watched } from './operation-goal.ts';
import { type Awaited, inState, parseAwaited } from './wait-goal.ts';

test.each<{ text: string; awaited: Awaited | undefined }>([
  { text: 'Ready', awaited: { state: 'ready' } },
  { text: 'ready', awaited: { state: 'ready' } },
  { text: 'deleted', awaited: { state: 'deleted' } },
  { text: 'delete', awaited: { state: 'deleted' } },
  { text: 'upgraded', awaited: { state: 'upgraded' } },
  { text: 'condition=UpToDate', awaited: { state: 'condition', type: 'UpToDate', status: 'True' } },
  { text: 'condition=Ready=false', awaited: { state: 'condition', type: 'Ready', status: 'false' } },
  { text: 'condition=', awaited: undefined },
  { text: 'gone', awaited: undefined },
])('--for=$text', ({ text, awaited }) => {
  expect(parseAwaited(text)).toEqual(awaited);
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

test.each<{ watched: Watched; awaited: string; view: ClusterView; state: string; reason: string }>([
  { watched: cluster, awaited: 'Ready', view: view(), state: 'done', reason: 'it is, and so are its pools' },
  { watched: cluster, awaited: 'Ready', view: view({ pool: {} }), state: 'running', reason: 'a pool is not seen yet' },
  { watched: cluster, awaited: 'Ready', view: view({ pool: broken }), state: 'blocked', reason: 'a pool needs help' },
  { watched: cluster, awaited: 'Ready', view: NOTHING, state: 'failed', reason: 'it is gone' },
  { watched: pool, awaited: 'Ready', view: view({ cluster: broken }), state: 'done', reason: 'a pool for itself' },
  { watched: machine, awaited: 'Ready', view: view(), state: 'done', reason: 'a machine' },
  { watched: cluster, awaited: 'deleted', view: view(), state: 'running', reason: 'it is there' },
  { watched: cluster, awaited: 'deleted', view: NOTHING, state: 'done', reason: 'it is gone' },
  { watched: { ...cluster, uid: 'x' }, awaited: 'deleted', view: view(), state: 'done', reason: 'another of its name' },
  { watched: machine, awaited: 'deleted', view: NOTHING, state: 'done', reason: 'a machine is gone' },
  { watched: cluster, awaited: 'upgraded', view: view(), state: 'done', reason: 'all run the version' },
  {
    watched: cluster,
    awaited: 'upgraded',
    view: view({ machine: { version: '1.35.1' } }),
    state: 'running',
    reason: 'a node runs the version of before',
  },
  {
    watched: pool,
    awaited: 'upgraded',
    view: view({ machine: { version: '1.35.1' } }),
    state: 'running',
    reason: 'a node of the pool does',
  },
  {
    watched: pool,
    awaited: 'upgraded',
    view: view({ machine: { version: '1.35.1' }, pool: { ...ready, upgrade: { state: 'Aborted' } } }),
    state: 'failed',
    reason: 'somebody has aborted it',
  },
  { watched: pool, awaited: 'upgraded', view: view(), state: 'done', reason: 'all nodes of the pool run it' },
  { watched: machine, awaited: 'upgraded', view: view(), state: 'done', reason: 'a machine runs it' },
  {
    watched: machine,
    awaited: 'upgraded',
    view: view({ machine: { phase: 'Draining' } }),
    state: 'running',
    reason: 'it leaves',
  },
  {
    watched: cluster,
    awaited: 'condition=Ready',
    view: view({ pool: broken }),
    state: 'done',
    reason: 'its own condition',
  },
  {
    watched: cluster,
    awaited: 'condition=Ready=False',
    view: view({ cluster: broken }),
    state: 'done',
    reason: 'its value',
  },
  { watched: cluster, awaited: 'condition=UpToDate', view: view(), state: 'running', reason: 'no such condition yet' },
])('$watched.kind --for=$awaited: $state, as $reason', ({ watched, awaited, view, state }) => {
  const wanted = parseAwaited(awaited);

  expect(wanted && inState(watched, wanted).outcome(view).state).toBe(state);
});
