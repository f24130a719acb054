import { expect, test } from 'vitest';
import { aContent, aSnapshot } from '../volume-snapshots/testing/objects.ts';
import { handleFor } from './snapshot-origin.ts';
import { aClaim } from './testing/objects.ts';

const uid = { uid: 'one' };
const snapshot = { ...aSnapshot({}, uid), status: { readyToUse: true, boundVolumeSnapshotContentName: 'kept' } };
const volumeSnapshotRef = { namespace: 'default', name: 'first', ...uid };
const status = { snapshotHandle: 'two', readyToUse: true };
const ofBlock = { volumeSnapshotRef, sourceVolumeMode: 'Block' };
const content = aContent({ volumeSnapshotRef }, { status });
const allowed = { annotations: { 'snapshot.storage.kubernetes.io/allow-volume-mode-change': 'true' } };

test.each([
  { reason: 'as it was', claim: aClaim(), content },
  { reason: 'a block device', claim: aClaim({ volumeMode: 'Block' }), content: aContent(ofBlock, { status }) },
  { reason: 'another mode, allowed', claim: aClaim(), content: aContent(ofBlock, { status, metadata: allowed }) },
])('a claim gets the snapshot of a VolumeSnapshot: $reason', (row) => {
  expect(handleFor(row.claim, 'first', snapshot, row.content)).toEqual({ id: 'two' });
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
  { snapshot, content: aContent(ofBlock, { status }), problem: /volumeMode Block, but the claim has Filesystem/ },
  { snapshot, content: aContent({ volumeSnapshotRef }), problem: /has no snapshot yet/ },
])('a claim waits or is refused: $problem', (row) => {
  expect(handleFor(aClaim(), 'first', row.snapshot, row.content)).toEqual({
    problem: expect.stringMatching(row.problem),
  });
});
