import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import type { Condition } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import type { ClusterView } from './cluster-view.ts';
import type { WatchedObject } from './operation-goal.ts';
import { parseWaitTarget, stateReached, type WaitTarget } from './wait-goal.ts';

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
const EMPTY_VIEW: ClusterView = { cluster: undefined, pools: [], machines: [] };
const cluster: WatchedObject = { kind: 'cluster', name: 'demo', uid: 'c' };
const pool: WatchedObject = { kind: 'nodepool', name: 'general', uid: 'p' };
const machine: WatchedObject = { kind: 'machine', name: 'm', uid: 'm' };

test.each<{ watched: WatchedObject; target: string; view: ClusterView; state: string; reason: string }>([
  { watched: cluster, target: 'Ready', view: view(), state: 'done', reason: 'the cluster and its pools are ready' },
  {
    watched: cluster,
    target: 'Ready',
    view: view({ pool: {} }),
    state: 'running',
    reason: 'a pool is not observed yet',
  },
  { watched: cluster, target: 'Ready', view: view({ pool: broken }), state: 'blocked', reason: 'a pool needs help' },
  { watched: cluster, target: 'Ready', view: EMPTY_VIEW, state: 'failed', reason: 'the cluster was deleted' },
  { watched: pool, target: 'Ready', view: view({ cluster: broken }), state: 'done', reason: 'a pool alone' },
  { watched: machine, target: 'Ready', view: view(), state: 'done', reason: 'the machine is ready' },
  { watched: cluster, target: 'deleted', view: view(), state: 'running', reason: 'the object exists' },
  { watched: cluster, target: 'deleted', view: EMPTY_VIEW, state: 'done', reason: 'the object is deleted' },
  {
    watched: { ...cluster, uid: 'x' },
    target: 'deleted',
    view: view(),
    state: 'done',
    reason: 'another object has the same name',
  },
  { watched: machine, target: 'deleted', view: EMPTY_VIEW, state: 'done', reason: 'a machine is deleted' },
  { watched: cluster, target: 'upgraded', view: view(), state: 'done', reason: 'everything runs the version' },
  {
    watched: cluster,
    target: 'upgraded',
    view: view({ machine: { version: '1.35.1' } }),
    state: 'running',
    reason: 'a node runs the old version',
  },
  {
    watched: pool,
    target: 'upgraded',
    view: view({ machine: { version: '1.35.1' } }),
    state: 'running',
    reason: 'a node of the pool runs the old version',
  },
  {
    watched: pool,
    target: 'upgraded',
    view: view({ machine: { version: '1.35.1' }, pool: { ...ready, upgrade: { state: 'Aborted' } } }),
    state: 'failed',
    reason: 'the upgrade was aborted',
  },
  { watched: pool, target: 'upgraded', view: view(), state: 'done', reason: 'all nodes of the pool run the version' },
  { watched: machine, target: 'upgraded', view: view(), state: 'done', reason: 'the machine runs the version' },
  {
    watched: machine,
    target: 'upgraded',
    view: view({ machine: { phase: 'Draining' } }),
    state: 'running',
    reason: 'the machine is draining',
  },
  {
    watched: cluster,
    target: 'condition=Ready',
    view: view({ pool: broken }),
    state: 'done',
    reason: 'the cluster has the condition, whatever its pools report',
  },
  {
    watched: cluster,
    target: 'condition=Ready=False',
    view: view({ cluster: broken }),
    state: 'done',
    reason: 'the condition has the requested value',
  },
  {
    watched: cluster,
    target: 'condition=UpToDate',
    view: view(),
    state: 'running',
    reason: 'the condition does not exist yet',
  },
])('$watched.kind --for=$awaited is $state: $reason', ({ watched, target, view, state }) => {
  const waitTarget = parseWaitTarget(target);

  expect(waitTarget && stateReached(watched, waitTarget).outcome(view).state).toBe(state);
});
