import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { VolumeSnapshot, VolumeSnapshotCreate } from '@fairway/openstack/types/block-storage';
import { type StorageOwner, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { storageKey, storedFor } from '@fairway/tenancy/cloud/storage-index';
import type { Marked, Storage } from '../storage.ts';

/** How old a list may be that shows whether there is a snapshot; a write of this process is known without it. */
const MAX_AGE_MS = 60_000;

/** The snapshots that carry these marks, oldest first. Rejects with StillSettling, or the cloud's error. */
export async function ownedSnapshots({ cloud, work }: Storage, owner: StorageOwner): Promise<Marked<VolumeSnapshot>> {
  const ledger = cloud.ledgers.volumeSnapshots;
  const listed = await cloud.cache.volumeSnapshots.refreshAfter(cloud.reliableFromMs(ledger, MAX_AGE_MS), work);
  const state = ledger.observe(storageKey(owner), storedFor(listed, owner), listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettling('snapshot', state.untilMs);
  if (cloud.trustedFromMs > cloud.now() && state.items.length === 0) {
    throw new StillSettling('snapshot', cloud.trustedFromMs);
  }
  return { items: state.items, deleting: state.deleting };
}

/** Rejects like `ProjectCloud.make`. */
export function createSnapshot(
  { cloud, work }: Storage,
  owner: StorageOwner,
  { metadata, ...snapshot }: VolumeSnapshotCreate,
): Promise<VolumeSnapshot> {
  const marked = { ...snapshot, metadata: { ...metadata, ...storageMetadata(owner) } };
  const ledger = cloud.ledgers.volumeSnapshots;
  const key = storageKey(owner);
  const send = async () => {
    ledger.recordSent(key);
    try {
      return await cloud.client.blockStorage.snapshots.create(marked, { signal: work });
    } catch (error) {
      if (isOpenStackError(error) && error.outcome === 'notDone') ledger.forget(key);
      else ledger.recordUnknown(key, cloud.now());
      throw error;
    }
  };
  return cloud.make(ledger, key, send);
}

export function deleteSnapshot({ cloud, work }: Storage, { id }: VolumeSnapshot): Promise<void> {
  const { snapshots } = cloud.client.blockStorage;
  return cloud.remove(cloud.ledgers.volumeSnapshots, id, () => snapshots.delete(id, { signal: work }));
}
