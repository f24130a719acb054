import { isCinderId } from '@fairway/cloud-provider/volumes/driver';
import { status } from '@grpc/grpc-js';
import { CallError } from '../calls/call-error.ts';
import { pageOf } from '../calls/listing.ts';
import type { ListSnapshotsRequest } from '../protocol/messages.ts';
import type { Storage } from '../storage.ts';
import { findSnapshot } from './found-snapshot.ts';
import { csiSnapshot } from './snapshot-view.ts';

/**
 * The cluster's snapshots and unmarked ones; if requested, only the snapshots of one volume or the snapshot with one
 * ID.
 */
export async function listSnapshots(storage: Storage, request: ListSnapshotsRequest): Promise<object> {
  const { snapshot_id: id, source_volume_id: volumeId } = request;
  if (id !== '') {
    const found = await findVisibleSnapshot(storage, id);
    const matches = found !== undefined && (volumeId === '' || found.snapshot.volume_id === volumeId);
    return { entries: matches ? [{ snapshot: csiSnapshot(found.snapshot) }] : [] };
  }
  if (volumeId !== '' && !isCinderId(volumeId)) return { entries: [] };
  const { cloud, clusterUid, work } = storage;
  const filter = volumeId === '' ? {} : { volume_id: volumeId };
  const { items, next_token } = await pageOf(request, clusterUid, (page) =>
    cloud.client.blockStorage.snapshots.list(filter, { ...page, signal: work }),
  );
  return { entries: items.map((snapshot) => ({ snapshot: csiSnapshot(snapshot) })), next_token };
}

/** Undefined for another cluster's snapshot, which lists omit too. */
async function findVisibleSnapshot(storage: Storage, id: string): Promise<Awaited<ReturnType<typeof findSnapshot>>> {
  try {
    return await findSnapshot(storage, id);
  } catch (error) {
    if (error instanceof CallError && error.code === status.PERMISSION_DENIED) return undefined;
    throw error;
  }
}
