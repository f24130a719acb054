import { describe, expect, test } from 'vitest';
import { expansionStep, statusOf } from './expansion.ts';
import { aClaim, aClass, aVolume } from './testing/objects.ts';

const EXPANDABLE_CLASS = aClass({ allowVolumeExpansion: true });

/** A claim for this size that is bound to 5 GiB, and its PersistentVolume with the given capacity. */
function grown(requested: string, has: string, { says = '5Gi', pending = false } = {}) {
  const claim = aClaim({ resources: { requests: { storage: requested } }, volumeName: 'pvc-1' }, { uid: 'claim' });
  const conditions = pending ? [{ type: 'FileSystemResizePending', status: 'True' }] : [];
  return {
    claim: { ...claim, status: { phase: 'Bound', capacity: { storage: says }, conditions } },
    volume: aVolume({ capacity: { storage: has }, claimRef: { namespace: 'default', name: 'data', uid: 'claim' } }),
  };
}

describe('a claim', () => {
  test.each([
    { reason: 'has the size it requests', ...grown('5Gi', '5Gi'), step: undefined },
    { reason: 'has more than it requests', ...grown('4Gi', '5Gi'), step: undefined },
    { reason: 'grows', ...grown('7500Mi', '5Gi'), step: { kind: 'extend', sizeGiB: 8, storage: '8Gi' } },
    { reason: 'has a volume that is already extended', ...grown('8Gi', '8Gi'), step: { kind: 'tell', storage: '8Gi' } },
    {
      reason: 'waits for its node to extend the file system',
      ...grown('8Gi', '8Gi', { pending: true }),
      step: undefined,
    },
    {
      reason: 'grows again while it waits for its node',
      ...grown('9Gi', '8Gi', { pending: true }),
      step: { kind: 'extend', sizeGiB: 9, storage: '9Gi' },
    },
    { reason: 'requests too much', ...grown('9Ei', '5Gi'), step: expect.objectContaining({ kind: 'refuse' }) },
  ])('$reason', ({ claim, volume, step }) => {
    expect(expansionStep(claim, volume, EXPANDABLE_CLASS)).toEqual(step);
  });

  test('is refused if its class does not allow it', () => {
    const { claim, volume } = grown('8Gi', '5Gi');

    expect(expansionStep(claim, volume, aClass())).toMatchObject({
      kind: 'refuse',
      message: expect.stringMatching(/"standard" does not have allowVolumeExpansion/),
    });
  });

  test('grows even if its class was deleted, because the request was validated against the class', () => {
    const { claim, volume } = grown('8Gi', '5Gi');

    expect(expansionStep(claim, volume, undefined)).toEqual({ kind: 'extend', sizeGiB: 8, storage: '8Gi' });
  });

  test('does not use the volume of another claim or a different driver', () => {
    const { claim, volume } = grown('8Gi', '5Gi');
    const csi = { driver: 'other', volumeHandle: 'x' };

    expect(
      expansionStep({ ...claim, metadata: { ...claim.metadata, uid: 'later' } }, volume, EXPANDABLE_CLASS),
    ).toBeUndefined();
    expect(expansionStep(claim, { ...volume, spec: { ...volume.spec, csi } }, EXPANDABLE_CLASS)).toBeUndefined();
  });
});

test('has one condition for its expansion, and keeps other conditions', () => {
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
