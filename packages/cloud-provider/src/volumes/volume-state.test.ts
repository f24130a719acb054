import type { Volume } from '@fairway/openstack/types/block-storage';
import { describe, expect, test } from 'vitest';
import { aClaim, aVolume } from './testing/objects.ts';
import { deletionBlocker, stepFor } from './volume-state.ts';

const DELETED_AT = '2026-01-01T00:00:00Z';
const CLAIM = aClaim({}, { uid: 'claim' });
const claimRef = { namespace: 'default', name: 'data', uid: 'claim' };

describe('a PersistentVolume', () => {
  test.each([
    { reason: 'it is bound', volume: aVolume({ claimRef }), step: 'none' },
    { reason: 'it is released', volume: aVolume({ claimRef }, { phase: 'Released' }), step: 'delete' },
    {
      reason: 'it is released and retained',
      volume: aVolume({ persistentVolumeReclaimPolicy: 'Retain' }, { phase: 'Released' }),
      step: 'release',
    },
    {
      reason: 'it is retained, and the finalizer is already removed',
      volume: aVolume({ persistentVolumeReclaimPolicy: 'Retain' }, { metadata: { finalizers: [] } }),
      step: 'none',
    },
    {
      reason: 'it has no finalizer yet',
      volume: aVolume({ claimRef }, { metadata: { finalizers: [] } }),
      step: 'protect',
    },
    {
      reason: 'it was deleted before its claim',
      volume: aVolume({ claimRef }, { metadata: { deletionTimestamp: DELETED_AT } }),
      step: 'none',
    },
    {
      reason: 'it was deleted before its claim, which no longer exists',
      volume: aVolume({ claimRef: { ...claimRef, uid: 'before' } }, { metadata: { deletionTimestamp: DELETED_AT } }),
      step: 'delete',
    },
    {
      reason: 'its finalizer was removed while it was being deleted',
      volume: aVolume({ claimRef }, { metadata: { deletionTimestamp: DELETED_AT, finalizers: [] }, phase: 'Released' }),
      step: 'none',
    },
    {
      reason: 'it was not provisioned by Fairway',
      volume: aVolume({ claimRef }, { metadata: { annotations: {} }, phase: 'Released' }),
      step: 'none',
    },
    {
      reason: 'it belongs to another driver',
      volume: aVolume({ csi: { driver: 'other', volumeHandle: 'x' } }, { phase: 'Released' }),
      step: 'none',
    },
  ])('requires the step $step: $reason', ({ volume, step }) => {
    expect(stepFor(volume, CLAIM)).toBe(step);
  });
});

describe('a volume', () => {
  test.each([
    { status: 'available', attachments: [], held: undefined },
    { status: 'error', attachments: [], held: undefined },
    { status: 'in-use', attachments: [{ volume_id: 'v', server_id: 's' }], held: 'it is still attached to s' },
    { status: 'detaching', attachments: [], held: 'its status in Cinder is detaching' },
    { status: 'error_deleting', attachments: [], held: expect.stringMatching(/operator/) },
  ])('cannot be deleted in status $status, and reports why', ({ status, attachments, held }) => {
    expect(deletionBlocker({ status, attachments } as unknown as Volume)).toEqual(held);
  });
});
