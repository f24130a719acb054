import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import type { ControlPlaneState, SnapshotsState } from '@fairway/control-plane/runtime';
import { describe, expect, test } from 'vitest';
import { restoreOperation, snapshotStatus, snapshotsCondition } from './snapshots.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const SNAPSHOT = '20261121-120000-000';
const NO_SNAPSHOTS: SnapshotsState = { list: [], problem: undefined, restored: undefined, restoring: undefined };

function plane(snapshots?: Partial<SnapshotsState>): ControlPlaneState {
  return {
    phase: 'Running',
    endpoint: undefined,
    version: '1.34.2',
    ready: true,
    reason: 'AsExpected',
    message: '',
    etcdUsageBytes: undefined,
    ...(snapshots && { snapshots: { ...NO_SNAPSHOTS, ...snapshots } }),
  };
}

const restoring = (problem?: 'NotFound' | 'Failed') => ({
  restoring: { request: { snapshot: SNAPSHOT }, message: 'why', problem },
});
const asked: ClusterSpec['etcd'] = { restore: { snapshot: SNAPSHOT } };

describe('SnapshotsReady', () => {
  test.each([
    { state: undefined, etcd: undefined, says: undefined, reason: 'nothing was learnt' },
    { state: plane(), etcd: undefined, says: undefined, reason: 'none are kept, and none asked for' },
    { state: plane(), etcd: asked, says: 'SnapshotNotFound', reason: 'none are kept, and one is asked for' },
    { state: plane({}), etcd: undefined, says: 'AsExpected', reason: 'everything works' },
    { state: plane({ problem: 'disk full' }), etcd: undefined, says: 'SnapshotFailed', reason: 'none can be taken' },
    {
      state: plane({ offHostProblem: 'away' }),
      etcd: undefined,
      says: 'SnapshotFailed',
      reason: 'copies do not arrive',
    },
    { state: plane(restoring()), etcd: asked, says: 'Restoring', reason: 'one is being restored' },
    { state: plane(restoring('NotFound')), etcd: asked, says: 'SnapshotNotFound', reason: 'there is no such one' },
    { state: plane(restoring('Failed')), etcd: asked, says: 'RestoreFailed', reason: 'it cannot be restored' },
  ])('$says: $reason', ({ state, etcd, says }) => {
    expect(snapshotsCondition({ etcd }, state)?.reason).toBe(says);
  });
});

test('snapshots that do not leave the machine are told, with since when', () => {
  const offHostProblem = 'not off-host since 2026-11-21T12:00:00Z: s3://bucket/ does not answer';

  expect(snapshotsCondition({}, plane({ offHostProblem }))?.message).toBe(
    `snapshots are taken, but are ${offHostProblem}`,
  );
});

const NODES = { nodes: 3, durations: undefined };

test.each([
  { problem: undefined, state: 'Processing' },
  { problem: 'Failed', state: 'Error' },
  { problem: 'NotFound', state: 'Failed' },
] as const)('a restore is an operation: $state', ({ problem, state }) => {
  expect(restoreOperation(plane(restoring(problem)), NODES)).toMatchObject({
    type: 'Restore',
    state,
    description: 'why',
  });
  expect(restoreOperation(plane({}), NODES)).toBeUndefined();
});

test('the status lists what there is, and what was restored last', () => {
  const state = plane({
    list: [{ name: SNAPSHOT, takenAtMs: NOON_MS, sizeBytes: 7 }],
    restored: { snapshot: SNAPSHOT, requestedAt: '2026-11-21T12:30:00Z', atMs: NOON_MS + 1_800_000 },
  });

  expect(snapshotStatus(state, undefined)).toEqual({
    snapshots: [{ name: SNAPSHOT, takenAt: '2026-11-21T12:00:00Z', sizeBytes: 7 }],
    lastRestore: { snapshot: SNAPSHOT, requestedAt: '2026-11-21T12:30:00Z', restoredAt: '2026-11-21T12:30:00Z' },
  });
});

test('so it does what was restored before that', () => {
  const restored = { snapshot: SNAPSHOT, atMs: NOON_MS };
  const restoredBefore = [{ snapshot: 'b', requestedAt: '2026-11-20T12:30:00Z' }, { snapshot: 'a' }];
  const status = snapshotStatus(plane({ restored, restoredBefore }), undefined);

  expect(status.earlierRestores).toEqual(restoredBefore);
  expect(snapshotStatus(undefined, { quotaBytes: 1, ...status })).toEqual(status);
});

test('what could not be learnt this time stays', () => {
  const { status } = { ...aCluster(), status: { etcd: { quotaBytes: 1, snapshots: [] } } };

  expect(snapshotStatus(undefined, status.etcd)).toEqual({ snapshots: [] });
});
