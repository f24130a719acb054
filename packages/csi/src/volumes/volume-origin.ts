import type { VolumeCreate } from '@fairway/openstack/types/block-storage';
import { failedPrecondition } from '../calls/call-error.ts';
import { requireSnapshot } from '../snapshots/found-snapshot.ts';
import type { Storage } from '../storage.ts';
import type { DesiredVolume } from './desired-volume.ts';
import { findVolume, requireVolume } from './found-volume.ts';

/** The source of a copied volume. */
export interface VolumeOrigin {
  readonly request: Pick<VolumeCreate, 'source_volid' | 'snapshot_id'>;
  readonly sizeGiB: number;
  /** The Cinder zone in which copies of the source must be. */
  readonly volumeZone: string | undefined;
}

/**
 * Rejects with NOT_FOUND, with PERMISSION_DENIED for another cluster's source, or with FAILED_PRECONDITION for one that
 * can't be copied now.
 */
export async function findOrigin(storage: Storage, source: DesiredVolume['source']): Promise<VolumeOrigin | undefined> {
  if (source === undefined) return undefined;
  if ('volumeId' in source) {
    const { volume } = await requireVolume(storage, source.volumeId);
    requireStatus('volume', volume, ['available', 'in-use']);
    return {
      request: { source_volid: volume.id },
      sizeGiB: volume.size,
      volumeZone: volume.availability_zone ?? undefined,
    };
  }
  const { snapshot } = await requireSnapshot(storage, source.snapshotId);
  requireStatus('snapshot', snapshot, ['available']);
  const found = await findVolume(storage, snapshot.volume_id);
  return {
    request: { snapshot_id: snapshot.id },
    sizeGiB: snapshot.size,
    volumeZone: found?.volume.availability_zone ?? undefined,
  };
}

function requireStatus(
  kind: string,
  { id, status }: { readonly id: string; readonly status: string },
  allowed: readonly string[],
): void {
  if (allowed.includes(status)) return;
  throw failedPrecondition(`${kind} ${id} cannot be copied: its status in Cinder is ${status}`);
}
