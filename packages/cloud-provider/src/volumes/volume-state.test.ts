import type { Volume } from '@fairway/openstack/types/block-storage';
import { describe, expect, test } from 'vitest';
import { aClaim, aVolume } from './testing/objects.ts';
import { deletionBlocker, stepFor } from './volume-state.ts';

const GOING = '2026-01-01T00:00:00Z';
const CLAIM = aClaim({}, { uid: 'claim' });
const claimRef = { namespace: 'default', name: 'data', uid: 'claim' };

describe('a PersistentVolume', () => {
  test.each([
    { reason: 'that is bound', volume: aVolume({ claimRef }), step: 'none' },
    { reason: 'that is released', volume: aVolume({ claimRef }, { phase: 'Released' }), step: 'delete' },
    {
      reason: 'that is released and kept',
      volume: aVolume({ persistentVolumeReclaimPolicy: 'Retain' }, { phase: 'Released' }),
      step: 'release',
    },
    {
      reason: 'that is kept, and said so before',
      volume: aVolume({ persistentVolumeReclaimPolicy: 'Retain' }, { metadata: { finalizers: [] } }),
      step: 'none',
    },
    {
      reason: 'that is not protected yet',
      volume: aVolume({ claimRef }, { metadata: { finalizers: [] } }),
      step: 'protect',
    },
    {
      reason: 'that was deleted before its claim',
      volume: aVolume({ claimRef }, { metadata: { deletionTimestamp: GOING } }),
      step: 'none',
    },
    {
      reason: 'that was deleted before a claim that is gone now',
      volume: aVolume({ claimRef: { ...claimRef, uid: 'before' } }, { metadata: { deletionTimestamp: GOING } }),
      step: 'delete',
    },
    {
      reason: 'that lost its protection',
      volume: aVolume({ claimRef }, { metadata: { deletionTimestamp: GOING, finalizers: [] }, phase: 'Released' }),
      step: 'none',
    },
    {
      reason: 'that somebody wrote by hand',
      volume: aVolume({ claimRef }, { metadata: { annotations: {} }, phase: 'Released' }),
      step: 'none',
    },
    {
      reason: "of another driver's",
      volume: aVolume({ csi: { driver: 'other', volumeHandle: 'x' } }, { phase: 'Released' }),
      step: 'none',
    },
  ])('$reason: $step', ({ volume, step }) => {
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
  ])('in status $status', ({ status, attachments, held }) => {
    expect(deletionBlocker({ status, attachments } as unknown as Volume)).toEqual(held);
  });
});
