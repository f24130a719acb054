import type { VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import type { CsiSnapshot } from '../protocol/messages.ts';
import { epochMsOf } from '../storage.ts';
import { GIB } from '../volumes/capacity.ts';

/** A snapshot in CSI's format. Pure. */
export function csiSnapshot({ id, size, volume_id, created_at, status }: VolumeSnapshot): CsiSnapshot {
  const createdMs = epochMsOf(created_at);
  return {
    size_bytes: size * GIB,
    snapshot_id: id,
    source_volume_id: volume_id,
    creation_time: { seconds: Math.floor(createdMs / 1000), nanos: (createdMs % 1000) * 1_000_000 },
    ready_to_use: status === 'available' || status === 'backing-up' || status === 'restoring',
  };
}
