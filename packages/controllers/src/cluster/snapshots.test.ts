import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import type { ControlPlaneState, SnapshotsState } from '@fairway/control-plane/runtime';
import { describe, expect, test } from 'vitest';
import { restoreOperation, snapshotStatus, snapshotsCondition } from './snapshots.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const SNAPSHOT = '20261121-120000-000';
const NO_SNAPSHOTS: SnapshotsState = { list: [], problem: undefined, restored: undefined, restoring: undefined };

function controlPlaneWith(snapshots?: Partial<SnapshotsState>): ControlPlaneState {
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
const requestedRestore: ClusterSpec['etcd'] = { restore: { snapshot: SNAPSHOT } };

describe('SnapshotsReady', () => {
  test.each([
    { state: undefined, etcd: undefined, expectedMessage: undefined, reason: 'nothing was observed' },
    {
      state: controlPlaneWith(),
      etcd: undefined,
      expectedMessage: undefined,
      reason: 'no snapshots are kept, and no restore is requested',
    },
    {
      state: controlPlaneWith(),
      etcd: requestedRestore,
      expectedMessage: 'SnapshotNotFound',
      reason: 'no snapshots are kept, but a restore is requested',
    },
    { state: controlPlaneWith({}), etcd: undefined, expectedMessage: 'AsExpected', reason: 'everything works' },
    {
      state: controlPlaneWith({ problem: 'disk full' }),
      etcd: undefined,
      expectedMessage: 'SnapshotFailed',
      reason: 'no snapshot can be taken',
    },
    {
      state: controlPlaneWith({ offHostProblem: 'away' }),
      etcd: undefined,
      expectedMessage: 'SnapshotFailed',
      reason: 'copies fail',
    },
    {
      state: controlPlaneWith(restoring()),
      etcd: requestedRestore,
      expectedMessage: 'Restoring',
      reason: 'a snapshot is being restored',
    },
    {
      state: controlPlaneWith(restoring('NotFound')),
      etcd: requestedRestore,
      expectedMessage: 'SnapshotNotFound',
      reason: 'the snapshot does not exist',
    },
    {
      state: controlPlaneWith(restoring('Failed')),
      etcd: requestedRestore,
      expectedMessage: 'RestoreFailed',
      reason: 'the snapshot cannot be restored',
    },
  ])('$expectedMessage: $reason', ({ state, etcd, expectedMessage }) => {
    expect(snapshotsCondition({ etcd }, state)?.reason).toBe(expectedMessage);
  });
});

test('snapshots without an off-host copy are reported, with the time at which the problem began', () => {
  const offHostProblem = 'not off-host since 2026-11-21T12:00:00Z: s3://bucket/ does not answer';

  expect(snapshotsCondition({}, controlPlaneWith({ offHostProblem }))?.message).toBe(
    `snapshots are taken, but are ${offHostProblem}`,
  );
});

const NODES = { nodes: 3, durations: undefined };

test.each([
  { problem: undefined, state: 'Processing' },
  { problem: 'Failed', state: 'Error' },
  { problem: 'NotFound', state: 'Failed' },
] as const)('a restore is reported as an operation: $state', ({ problem, state }) => {
  expect(restoreOperation(controlPlaneWith(restoring(problem)), NODES)).toMatchObject({
    type: 'Restore',
    state,
    description: 'why',
  });
  expect(restoreOperation(controlPlaneWith({}), NODES)).toBeUndefined();
});

test('the status lists existing snapshots, and the last restore', () => {
  const state = controlPlaneWith({
    list: [{ name: SNAPSHOT, takenAtMs: NOON_MS, sizeBytes: 7 }],
    restored: { snapshot: SNAPSHOT, requestedAt: '2026-11-21T12:30:00Z', atMs: NOON_MS + 1_800_000 },
  });

  expect(snapshotStatus(state, undefined)).toEqual({
    snapshots: [{ name: SNAPSHOT, takenAt: '2026-11-21T12:00:00Z', sizeBytes: 7 }],
    lastRestore: { snapshot: SNAPSHOT, requestedAt: '2026-11-21T12:30:00Z', restoredAt: '2026-11-21T12:30:00Z' },
  });
});

test('the status lists the previous restore', () => {
  const restored = { snapshot: SNAPSHOT, atMs: NOON_MS };
  const previousRestores = [{ snapshot: 'b', requestedAt: '2026-11-20T12:30:00Z' }, { snapshot: 'a' }];
  const status = snapshotStatus(controlPlaneWith({ restored, restoredBefore: previousRestores }), undefined);

  expect(status.earlierRestores).toEqual(previousRestores);
  expect(snapshotStatus(undefined, { quotaBytes: 1, ...status })).toEqual(status);
});

test('the status keeps values that could not be observed this time', () => {
  const { status } = { ...aCluster(), status: { etcd: { quotaBytes: 1, snapshots: [] } } };

  expect(snapshotStatus(undefined, status.etcd)).toEqual({ snapshots: [] });
});
