import { describe, expect, test } from 'vitest';
import { expansionStep, statusOf } from './expansion.ts';
import { aClaim, aClass, aVolume } from './testing/objects.ts';

const GROWS = aClass({ allowVolumeExpansion: true });

/** A claim for this much that is bound to 5 GiB, and its volume of that capacity. */
function grown(asks: string, has: string, { says = '5Gi', pending = false } = {}) {
  const claim = aClaim({ resources: { requests: { storage: asks } }, volumeName: 'pvc-1' }, { uid: 'claim' });
  const conditions = pending ? [{ type: 'FileSystemResizePending', status: 'True' }] : [];
  return {
    claim: { ...claim, status: { phase: 'Bound', capacity: { storage: says }, conditions } },
    volume: aVolume({ capacity: { storage: has }, claimRef: { namespace: 'default', name: 'data', uid: 'claim' } }),
  };
}

describe('a claim', () => {
  test.each([
    { reason: 'has what it asks for', ...grown('5Gi', '5Gi'), step: undefined },
    { reason: 'has more than it asks for', ...grown('4Gi', '5Gi'), step: undefined },
    { reason: 'grows', ...grown('7500Mi', '5Gi'), step: { kind: 'extend', sizeGiB: 8, storage: '8Gi' } },
    { reason: 'has a volume that has grown', ...grown('8Gi', '8Gi'), step: { kind: 'tell', storage: '8Gi' } },
    { reason: 'waits for its node', ...grown('8Gi', '8Gi', { pending: true }), step: undefined },
    {
      reason: 'grows again while it waits',
      ...grown('9Gi', '8Gi', { pending: true }),
      step: { kind: 'extend', sizeGiB: 9, storage: '9Gi' },
    },
    { reason: 'asks for too much', ...grown('9Ei', '5Gi'), step: expect.objectContaining({ kind: 'refuse' }) },
  ])('$reason', ({ claim, volume, step }) => {
    expect(expansionStep(claim, volume, GROWS)).toEqual(step);
  });

  test('of a class that does not allow it is refused', () => {
    const { claim, volume } = grown('8Gi', '5Gi');

    expect(expansionStep(claim, volume, aClass())).toMatchObject({
      kind: 'refuse',
      message: expect.stringMatching(/"standard" does not have allowVolumeExpansion/),
    });
  });

  test('of a class that is gone grows: the request was validated by the class', () => {
    const { claim, volume } = grown('8Gi', '5Gi');

    expect(expansionStep(claim, volume, undefined)).toEqual({ kind: 'extend', sizeGiB: 8, storage: '8Gi' });
  });

  test('is not matched with another’s volume, nor another driver’s', () => {
    const { claim, volume } = grown('8Gi', '5Gi');
    const csi = { driver: 'other', volumeHandle: 'x' };

    expect(expansionStep({ ...claim, metadata: { ...claim.metadata, uid: 'later' } }, volume, GROWS)).toBeUndefined();
    expect(expansionStep(claim, { ...volume, spec: { ...volume.spec, csi } }, GROWS)).toBeUndefined();
  });
});

test('a claim has one condition for its size, and other ones are kept', () => {
  const claim = aClaim();
  const other = { type: 'ModifyingVolume', status: 'True' };
  const status = { conditions: [other, { type: 'Resizing', status: 'True' }] };

  expect(statusOf({ ...claim, status }, 'Resizing', 0)).toBeUndefined();
  expect(statusOf({ ...claim, status }, 'FileSystemResizePending', 0)?.conditions).toMatchObject([
    other,
    { type: 'FileSystemResizePending', status: 'True' },
  ]);
  expect(statusOf({ ...claim, status }, { storage: '8Gi' }, 0)).toEqual({
    conditions: [other],
    capacity: { storage: '8Gi' },
  });
});
