import { expect, test } from 'vitest';
import { contentStep } from './content-step.ts';
import { BEING_DELETED } from './snapshot-names.ts';
import { aContent } from './testing/objects.ts';

const isGoing = { deletionTimestamp: '2026-11-25T12:00:00Z' };
const ofVolume = { source: { volumeHandle: 'one' } };
const both = { source: { volumeHandle: 'one', snapshotHandle: 'two' } };
const bound = { volumeSnapshotRef: { namespace: 'default', name: 'first', uid: 'uid' } };

test.each([
  { is: 'another driver’s', content: aContent({ driver: 'other' }), step: 'none' },
  { is: 'of a volume', content: aContent(ofVolume), step: 'create' },
  { is: 'made', content: aContent(ofVolume, { status: { snapshotHandle: 'two' } }), step: 'keep' },
  {
    is: 'made, and its snapshot lost',
    content: aContent(ofVolume, { status: { snapshotHandle: 'two', readyToUse: false } }),
    step: 'keep',
  },
  { is: 'of a snapshot that is there', content: aContent(), step: 'adopt' },
  { is: 'of both', content: aContent(both), step: 'none' },
  { is: 'of nothing', content: aContent({ source: {} }), step: 'none' },
])('a content that is $is: $step', ({ content, step }) => {
  expect(contentStep(content, true)).toBe(step);
});

const told = { ...isGoing, annotations: { [BEING_DELETED]: 'yes' } };
test.each([
  { reason: 'nobody has it', metadata: isGoing, spec: {}, isClaimed: true, step: 'release' },
  { reason: 'it waits for its VolumeSnapshot', metadata: isGoing, spec: bound, isClaimed: true, step: 'none' },
  { reason: 'its VolumeSnapshot goes', metadata: told, spec: bound, isClaimed: true, step: 'release' },
  { reason: 'its VolumeSnapshot is gone', metadata: isGoing, spec: bound, isClaimed: false, step: 'release' },
])('a content that is deleted: $step, or with the policy Delete its snapshot too; $reason', (row) => {
  const { metadata, spec, isClaimed, step } = row;

  expect(contentStep(aContent(spec, { metadata }), isClaimed)).toBe(step);
  expect(contentStep(aContent({ ...spec, deletionPolicy: 'Delete' }, { metadata }), isClaimed)).toBe(
    step === 'release' ? 'delete' : step,
  );
});
