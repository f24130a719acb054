import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { clusterReset } from './reset-goal.ts';

const REQUESTED_AT = '2026-06-01T12:00:00Z';
const EARLIER = '2026-05-01T12:00:00Z';

const ready = (status: 'True' | 'False', reason: string) => [
  { type: 'Ready', status, reason, message: '', lastTransitionTime: REQUESTED_AT },
];
const reset = (requestedAt: string, phase: NonNullable<ClusterStatus['reset']>['phase']) => ({
  requestedAt,
  phase,
  since: REQUESTED_AT,
  nodes: 'Delete' as const,
});

test.each([
  {
    reason: 'the request is not observed yet',
    status: { conditions: ready('True', 'AsExpected') },
    state: 'running',
    done: 0,
  },
  {
    reason: 'an earlier reset is complete',
    status: { reset: reset(EARLIER, 'Complete'), conditions: ready('True', 'AsExpected') },
    state: 'running',
    done: 0,
  },
  {
    reason: 'nodes are being removed',
    status: { reset: reset(REQUESTED_AT, 'RemovingNodes'), conditions: ready('False', 'Resetting') },
    state: 'running',
    done: 0,
  },
  {
    reason: 'the empty control plane is starting',
    status: { reset: reset(REQUESTED_AT, 'Starting'), conditions: ready('False', 'Provisioning') },
    state: 'running',
    done: 2,
  },
  {
    reason: 'nodes have joined',
    status: { reset: reset(REQUESTED_AT, 'Complete'), conditions: ready('True', 'AsExpected') },
    state: 'done',
    done: 3,
  },
])('resetting: $reason: $state', ({ status, state, done }) => {
  const cluster: Cluster = {
    ...aCluster(),
    metadata: { name: 'demo', generation: 2 },
    status: { observedGeneration: 2, ...status },
  };
  const goal = clusterReset('demo', REQUESTED_AT);
  const view = { cluster, pools: [], machines: [] };

  expect(goal.outcome(view).state).toBe(state);
  expect(goal.steps(view).filter((step) => step.state === 'done')).toHaveLength(done);
});
