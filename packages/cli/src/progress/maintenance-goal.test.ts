import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { clusterMaintained } from './maintenance-goal.ts';

const condition = (type: string, reason: string, status: 'True' | 'False' = 'False') => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-11-22T00:00:00Z',
});

function outcomeOf(status: ClusterStatus): string {
  const cluster = { ...aCluster({}, { name: 'demo', generation: 2 }), status: { observedGeneration: 2, ...status } };
  return clusterMaintained('demo', 'now').outcome({ cluster, pools: [], machines: [] }).state;
}

const ready = condition('Ready', 'AsExpected', 'True');
const followed = { requested: 'now' };

test.each<{ reason: string; status: ClusterStatus; state: string }>([
  { reason: 'the request is not observed yet', status: { conditions: [ready] }, state: 'running' },
  {
    reason: 'a patch is being applied',
    status: { maintenance: followed, conditions: [ready, condition('UpToDate', 'Updating')] },
    state: 'running',
  },
  {
    reason: 'the control plane is starting',
    status: {
      maintenance: followed,
      conditions: [condition('Ready', 'Updating'), condition('UpToDate', 'AsExpected', 'True')],
    },
    state: 'running',
  },
  {
    reason: 'everything is done',
    status: { maintenance: followed, conditions: [ready, condition('UpToDate', 'AsExpected', 'True')] },
    state: 'done',
  },
  {
    reason: 'a rollout has its own schedule',
    status: { maintenance: followed, conditions: [ready, condition('UpToDate', 'WaitingForRollout')] },
    state: 'done',
  },
])('$reason: $state', ({ status, state }) => {
  expect(outcomeOf(status)).toBe(state);
});
