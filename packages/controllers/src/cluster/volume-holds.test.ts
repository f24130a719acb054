import type { Volume } from '@fairway/openstack/types/block-storage';
import { describe, expect, test } from 'vitest';
import { holdOfSnapshot, holdOfVolume, type VolumeHolders } from './volume-holds.ts';

const none: VolumeHolders = { servers: new Map(), snapshots: [], isLate: false };
const at = (server_id: string) => [{ volume_id: 'v1', server_id }];

function volume(status: string, more: Partial<Volume> = {}): Volume {
  const base = { id: 'v1', name: 'data', size: 1, metadata: {}, encrypted: false, multiattach: false, attachments: [] };
  return { ...base, status, ...more };
}

describe('a volume that is not deleted', () => {
  test.each<{ is: Volume; holders?: Partial<VolumeHolders>; reason: string | undefined; expectedMessage?: string }>([
    { is: volume('deleting'), reason: undefined },
    {
      is: volume('deleting'),
      holders: { isLate: true },
      reason: 'CloudBusy',
      expectedMessage: 'data (v1) is deleting',
    },
    { is: volume('available'), holders: { isLate: true }, reason: undefined },
    { is: volume('error_deleting'), reason: 'DeletionFailed', expectedMessage: 'Cinder could not delete it' },
    { is: volume('awaiting-transfer'), reason: 'VolumeInUse', expectedMessage: 'pending transfer to another project' },
    {
      is: volume('in-use', { attachments: at('s1') }),
      holders: { servers: new Map([['s1', 'other']]) },
      reason: 'VolumeInUse',
      expectedMessage: 'server other (s1), which does not belong to the cluster',
    },
    { is: volume('in-use', { attachments: at('s1') }), reason: undefined },
    {
      is: volume('in-use', { attachments: at('s1') }),
      holders: { isLate: true },
      reason: 'CloudBusy',
      expectedMessage: 'attached to server s1, which no longer exists',
    },
    {
      is: volume('available'),
      holders: { snapshots: [{ id: 'n1', name: 'mine', status: 'available', size: 1, volume_id: 'v1', metadata: {} }] },
      reason: 'SnapshotsExist',
      expectedMessage: 'openstack volume snapshot delete n1',
    },
  ])('$is.status: $reason', ({ is, holders, reason, expectedMessage }) => {
    const held = holdOfVolume(is, { ...none, ...holders });

    expect(held?.reason).toBe(reason);
    expect(held?.message ?? '').toContain(expectedMessage ?? '');
  });

  test.each([
    { status: 'deleting', isLate: false, reason: undefined },
    { status: 'deleting', isLate: true, reason: 'CloudBusy' },
    { status: 'error_deleting', isLate: false, reason: 'DeletionFailed' },
  ])('a snapshot that is $status: $reason', ({ status, isLate, reason }) => {
    const snapshot = { id: 'n1', name: 'mine', status, size: 1, volume_id: 'v1', metadata: {} };

    expect(holdOfSnapshot(snapshot, isLate)?.reason).toBe(reason);
  });
});
