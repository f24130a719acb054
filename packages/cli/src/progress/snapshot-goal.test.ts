import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { clusterRestored, snapshotTaken } from './snapshot-goal.ts';

const TIME = '2026-11-21T12:00:00Z';
const REQUEST = { snapshot: '20261121-120000-000', requestedAt: TIME };
const RESTORED = { lastRestore: { ...REQUEST, restoredAt: TIME } };

function cluster(
  etcd: Partial<NonNullable<ClusterStatus['etcd']>>,
  conditions: Readonly<Record<string, string>>,
  observedGeneration = 2,
): Cluster {
  const status: ClusterStatus = {
    observedGeneration: 2,
    etcd: { quotaBytes: 1, ...etcd },
    conditions: Object.entries(conditions).map(([type, reason]) => ({
      type,
      status: reason === 'True' ? 'True' : 'False',
      reason,
      message: '',
      lastTransitionTime: TIME,
      observedGeneration,
    })),
  };
  return { ...aCluster({}, { name: 'demo', generation: 2 }), status };
}

test.each([
  { state: 'running', reason: 'nothing is observed yet', seen: cluster({}, {}) },
  { state: 'running', reason: 'the restore is in progress', seen: cluster({}, { SnapshotsReady: 'Restoring' }) },
  {
    state: 'running',
    reason: 'the control plane is not ready yet',
    seen: cluster(RESTORED, { ControlPlaneReady: 'Updating' }),
  },
  { state: 'done', reason: 'the control plane is ready again', seen: cluster(RESTORED, { ControlPlaneReady: 'True' }) },
  {
    state: 'running',
    reason: 'an earlier request is done',
    seen: cluster({ lastRestore: { snapshot: REQUEST.snapshot, restoredAt: TIME } }, { ControlPlaneReady: 'True' }),
  },
  { state: 'blocked', reason: 'the operator must act', seen: cluster({}, { SnapshotsReady: 'RestoreFailed' }) },
  { state: 'failed', reason: 'the snapshot does not exist', seen: cluster({}, { SnapshotsReady: 'SnapshotNotFound' }) },
  {
    state: 'running',
    reason: 'the failure refers to an older spec',
    seen: cluster({}, { SnapshotsReady: 'RestoreFailed' }, 1),
  },
  { state: 'failed', reason: 'the cluster was deleted', seen: undefined },
])('a restore is $state: $reason', ({ state, seen }) => {
  expect(clusterRestored('demo', REQUEST).outcome({ cluster: seen, pools: [], machines: [] }).state).toBe(state);
});

test.each([
  { state: 'running', names: ['old'], reason: 'only existing snapshots' },
  { state: 'done', names: ['new', 'old'], reason: 'a new snapshot' },
])('a snapshot is $state if the list contains $reason', ({ state, names }) => {
  const snapshots = names.map((name) => ({ name, takenAt: TIME, sizeBytes: 1 }));
  const view = { cluster: cluster({ snapshots }, {}), pools: [], machines: [] };

  expect(snapshotTaken('demo', new Set(['old'])).outcome(view).state).toBe(state);
});
