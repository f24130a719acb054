import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { NodePool, NodePoolStatus } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import type { ClusterView } from './cluster-view.ts';
import { clusterDeleted, clusterReady, machineReplaced, poolReady } from './goal.ts';

type Conditions = NonNullable<ClusterStatus['conditions']>;

function conditions(states: Readonly<Record<string, true | readonly [reason: string, message: string]>>): Conditions {
  return Object.entries(states).map(([type, state]) => ({
    type,
    status: state === true ? 'True' : 'False',
    reason: state === true ? 'AsExpected' : state[0],
    message: state === true ? '' : state[1],
    lastTransitionTime: '2026-11-21T12:00:00Z',
  }));
}

function cluster(states: Parameters<typeof conditions>[0], status: ClusterStatus = {}): Cluster {
  const metadata = { name: 'demo', uid: 'u1', generation: 2 };
  return { ...aCluster({}, metadata), status: { observedGeneration: 2, conditions: conditions(states), ...status } };
}

function pool(states: Parameters<typeof conditions>[0], status: NodePoolStatus = {}): NodePool {
  const metadata = { name: 'general', uid: 'p1', generation: 3 };
  const counts = { readyReplicas: 2, observedGeneration: 3, conditions: conditions(states) };
  return { ...aNodePool({ replicas: 3 }, metadata), status: { ...counts, ...status } };
}

function view(
  cluster: Cluster | undefined,
  pools: readonly NodePool[] = [],
  machines: ClusterView['machines'] = [],
): ClusterView {
  return { cluster, pools, machines };
}

const READY = { Ready: true } as const;
const quota = { Ready: ['QuotaExceeded', 'the quota is 10 cores'] } as const;

test.each([
  { view: view(undefined), state: 'failed', reason: 'it was deleted' },
  { view: view(aCluster()), state: 'running', reason: 'no controller has observed it' },
  { view: view(cluster(READY)), state: 'running', reason: 'the pool is not observed yet' },
  { view: view(cluster(READY), [pool(READY)]), state: 'done', reason: 'both are ready' },
  {
    view: view(cluster(READY, { observedGeneration: 1 }), [pool(READY)]),
    state: 'running',
    reason: 'Ready refers to an older spec',
  },
  {
    view: view(cluster({ Ready: true, Paused: true }, { observedGeneration: 1 }), [pool(READY)]),
    state: 'blocked',
    reason: 'paused before Fairway observed the change',
  },
  {
    view: view(cluster({ Ready: true, Paused: true }), [pool(READY)]),
    state: 'done',
    reason: 'paused after everything was done',
  },
  {
    view: view(cluster({ Ready: ['Provisioning', ''] }), [pool(READY)]),
    state: 'running',
    reason: 'Fairway is progressing',
  },
  {
    view: view(cluster({ Ready: ['CloudUnavailable', '503'] }), [pool(READY)]),
    state: 'running',
    reason: 'the cloud may recover',
  },
  {
    view: view(cluster({ Ready: ['Provisioning', ''] }), [pool(quota)]),
    state: 'blocked',
    reason: 'the user must act',
  },
  {
    view: view(cluster({ Ready: ['NewReason', 'x'] }), [pool(READY)]),
    state: 'running',
    reason: 'a newer server has an unknown reason',
  },
])('a cluster is $state: $reason', ({ view, state }) => {
  expect(clusterReady('demo', ['general']).outcome(view).state).toBe(state);
});

test('a permanently failed operation ends the wait with its reason', () => {
  const lastOperation = {
    type: 'Scale',
    state: 'Failed',
    progress: 10,
    description: 'no',
    lastUpdateTime: '',
  } as const;
  const failed = pool({ Ready: ['Scaling', 'no flavor of that name'] }, { lastOperation });

  expect(poolReady('general').outcome(view(undefined, [failed]))).toEqual({
    state: 'failed',
    reason: 'Scaling',
    message: 'no flavor of that name',
  });
});

test('steps show what is done, in progress and pending', () => {
  const seen = view(cluster({ NetworkReady: true, ControlPlaneReady: ['Provisioning', 'it is starting'] }), []);

  expect(clusterReady('demo', ['general']).steps(seen)).toEqual([
    { key: 'network', title: 'network', state: 'done', detail: '' },
    { key: 'control-plane', title: 'control plane', state: 'running', detail: 'it is starting' },
    { key: 'pool general', title: 'pool general', state: 'waiting', detail: '' },
  ]);
});

test('a cluster counts as deleted even if another one with the same name exists', () => {
  const goal = clusterDeleted('demo', 'u0');

  expect(goal.outcome(view(cluster(READY))).state).toBe('done');
  expect(clusterDeleted('demo', 'u1').outcome(view(cluster(READY))).state).toBe('running');
});

test('a machine counts as replaced once it is deleted and its pool is complete', () => {
  const goal = machineReplaced('demo-general-x', 'm1', 'general');

  expect(goal.outcome(view(undefined, [pool({ Ready: ['Scaling', '2/3'] })])).state).toBe('running');
  expect(goal.outcome(view(undefined, [pool(READY)])).state).toBe('done');
  expect(goal.outcome(view(undefined, [])).state).toBe('done');
});
