import { expect, test } from 'vitest';
import { aContent, aSnapshot } from '../volume-snapshots/testing/objects.ts';
import { snapshotHandleFor } from './snapshot-origin.ts';
import { aClaim } from './testing/objects.ts';

const uid = { uid: 'one' };
const snapshot = { ...aSnapshot({}, uid), status: { readyToUse: true, boundVolumeSnapshotContentName: 'kept' } };
const volumeSnapshotRef = { namespace: 'default', name: 'first', ...uid };
const status = { snapshotHandle: 'two', readyToUse: true };
const blockSnapshot = { volumeSnapshotRef, sourceVolumeMode: 'Block' };
const content = aContent({ volumeSnapshotRef }, { status });
const allowed = { annotations: { 'snapshot.storage.kubernetes.io/allow-volume-mode-change': 'true' } };

test.each([
  { reason: 'in the same volume mode', claim: aClaim(), content },
  {
    reason: 'for a block device',
    claim: aClaim({ volumeMode: 'Block' }),
    content: aContent(blockSnapshot, { status }),
  },
  {
    reason: 'in another volume mode, if allowed',
    claim: aClaim(),
    content: aContent(blockSnapshot, { status, metadata: allowed }),
  },
])('uses the snapshot of a VolumeSnapshot $reason', (row) => {
  expect(snapshotHandleFor(row.claim, 'first', snapshot, row.content)).toEqual({ id: 'two' });
});

test.each([
  { snapshot: undefined, content, problem: /no VolumeSnapshot first/ },
  {
    snapshot: { ...snapshot, metadata: { ...snapshot.metadata, deletionTimestamp: 'now' } },
    content,
    problem: /is being deleted/,
  },
  { snapshot: { ...snapshot, status: { readyToUse: false } }, content, problem: /not ready to use yet/ },
  { snapshot, content: undefined, problem: /not bound to a VolumeSnapshotContent/ },
  {
    snapshot,
    content: aContent({ volumeSnapshotRef: { ...volumeSnapshotRef, uid: 'other' } }, { status }),
    problem: /not bound to a VolumeSnapshotContent/,
  },
  { snapshot, content: aContent({ volumeSnapshotRef, driver: 'other' }, { status }), problem: /uses another driver/ },
  { snapshot, content: aContent(blockSnapshot, { status }), problem: /volumeMode Block, but the claim has Filesystem/ },
  { snapshot, content: aContent({ volumeSnapshotRef }), problem: /has no snapshot yet/ },
])('reports why there is no snapshot to use: $problem', (row) => {
  expect(snapshotHandleFor(aClaim(), 'first', row.snapshot, row.content)).toEqual({
    problem: expect.stringMatching(row.problem),
  });
});
