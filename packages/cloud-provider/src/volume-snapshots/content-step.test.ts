import { expect, test } from 'vitest';
import { contentStep } from './content-step.ts';
import { BEING_DELETED_ANNOTATION } from './snapshot-names.ts';
import { aContent } from './testing/objects.ts';

const isDeleting = { deletionTimestamp: '2026-11-25T12:00:00Z' };
const fromVolume = { source: { volumeHandle: 'one' } };
const both = { source: { volumeHandle: 'one', snapshotHandle: 'two' } };
const boundRef = { volumeSnapshotRef: { namespace: 'default', name: 'first', uid: 'uid' } };

test.each([
  { is: 'another driver’s', content: aContent({ driver: 'other' }), step: 'none' },
  { is: 'of a volume', content: aContent(fromVolume), step: 'create' },
  { is: 'made', content: aContent(fromVolume, { status: { snapshotHandle: 'two' } }), step: 'keep' },
  {
    is: 'made, but has lost its snapshot',
    content: aContent(fromVolume, { status: { snapshotHandle: 'two', readyToUse: false } }),
    step: 'keep',
  },
  { is: 'of an existing snapshot', content: aContent(), step: 'adopt' },
  { is: 'of both a volume and a snapshot', content: aContent(both), step: 'none' },
  { is: 'of nothing', content: aContent({ source: {} }), step: 'none' },
])('plans $step for a VolumeSnapshotContent: $is', ({ content, step }) => {
  expect(contentStep(content, true)).toBe(step);
});

const marked = { ...isDeleting, annotations: { [BEING_DELETED_ANNOTATION]: 'yes' } };
test.each([
  { reason: 'no VolumeSnapshot refers to it', metadata: isDeleting, spec: {}, isClaimed: true, step: 'release' },
  { reason: 'it waits for its VolumeSnapshot', metadata: isDeleting, spec: boundRef, isClaimed: true, step: 'none' },
  { reason: 'its VolumeSnapshot is being deleted', metadata: marked, spec: boundRef, isClaimed: true, step: 'release' },
  {
    reason: 'its VolumeSnapshot no longer exists',
    metadata: isDeleting,
    spec: boundRef,
    isClaimed: false,
    step: 'release',
  },
])('plans $step (delete instead of release with policy Delete) for a content that is being deleted: $reason', (row) => {
  const { metadata, spec, isClaimed, step } = row;

  expect(contentStep(aContent(spec, { metadata }), isClaimed)).toBe(step);
  expect(contentStep(aContent({ ...spec, deletionPolicy: 'Delete' }, { metadata }), isClaimed)).toBe(
    step === 'release' ? 'delete' : step,
  );
});
