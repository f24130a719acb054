import {
  createSnapshot,
  deleteSnapshot,
  ownedSnapshots,
} from '@fairway/cloud-provider/volume-snapshots/owned-snapshots';
import type { VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { status } from '@grpc/grpc-js';
import { CallError, failedPrecondition, invalidArgument } from '../calls/call-error.ts';
import type { CallTime } from '../calls/call-time.ts';
import { subject } from '../calls/operations.ts';
import type { CreateSnapshotRequest, CsiSnapshot } from '../protocol/messages.ts';
import { listMarkedObjects, type Storage } from '../storage.ts';
import { requireName } from '../volumes/desired-volume.ts';
import { requireVolume } from '../volumes/found-volume.ts';
import { snapshotMetadata } from './snapshot-parameters.ts';
import { csiSnapshot } from './snapshot-view.ts';

/** Creates one snapshot per name, like `createVolumeOnce`. */
export function createSnapshotOnce(
  storage: Storage,
  request: CreateSnapshotRequest,
  time: CallTime,
): Promise<CsiSnapshot> {
  const { name, source_volume_id: volumeId } = request;
  requireName(name);
  if (volumeId === '') throw invalidArgument('source_volume_id is missing');
  const metadata = snapshotMetadata(request.parameters);
  const owner = { clusterUid: storage.clusterUid, object: name };
  return storage.operations.run(subject.snapshotName(name), 'CreateSnapshot', async () => {
    const found = await findCreated(storage, owner.object, volumeId, time);
    if (found) return csiSnapshot(await waitUntilCreated(storage, found, time));
    const { volume } = await requireVolume(storage, volumeId);
    if (volume.status !== 'available' && volume.status !== 'in-use') {
      throw failedPrecondition(
        `volume ${volumeId} cannot be snapshotted now: its status in Cinder is ${volume.status}`,
      );
    }
    const description = `Fairway CSI ${storage.clusterUid} ${name}`;
    const { cloud, work } = storage;
    const snapshot = { volume_id: volumeId, name, description, metadata };
    const options = { signal: work, connection: work, group: storageKey(owner) };
    const created = await createSnapshot(cloud, owner, async () => snapshot, options);
    return csiSnapshot(await waitUntilCreated(storage, created, time));
  });
}

async function findCreated(
  storage: Storage,
  name: string,
  volumeId: string,
  time: CallTime,
): Promise<VolumeSnapshot | undefined> {
  const owner = { clusterUid: storage.clusterUid, object: name };
  const { cloud, work } = storage;
  const find = () => ownedSnapshots(cloud, owner, work);
  const snapshots = await listMarkedObjects(storage, cloud.cache.volumeSnapshots, time, find);
  const [snapshot, ...duplicates] = snapshots;
  // Duplicates come from requests that seemed lost but succeeded. A usable duplicate may already have volumes, so the
  // caller must delete it.
  for (const duplicate of duplicates) if (duplicate.status === 'error') await deleteSnapshot(cloud, duplicate, work);
  if (snapshot === undefined || snapshot.volume_id === volumeId) return snapshot;
  const message = `snapshot ${snapshot.id} has the name ${name}, but is a snapshot of volume ${snapshot.volume_id}`;
  throw new CallError(status.ALREADY_EXISTS, message);
}

/**
 * Waits until Cinder has created the snapshot. If Cinder fails, the snapshot is deleted, so that the next call creates
 * another.
 */
async function waitUntilCreated(storage: Storage, created: VolumeSnapshot, time: CallTime): Promise<VolumeSnapshot> {
  const { cloud, clock, work } = storage;
  const poll = async () => {
    const { items } = await cloud.cache.volumeSnapshots.refreshAfter(clock.now(), time.signal);
    const now = items.get(created.id);
    if (now === undefined)
      throw new CallError(status.ABORTED, `snapshot ${created.id} no longer exists: retry the call`);
    return now.status === 'creating' ? undefined : now;
  };
  const snapshot =
    created.status === 'creating'
      ? await time.pollUntil('snapshot', `snapshot ${created.id} is being created by Cinder`, poll)
      : created;
  if (snapshot.status === 'deleting') {
    throw new CallError(status.ABORTED, `snapshot ${created.id} with this name is being deleted: retry the call`);
  }
  if (snapshot.status === 'error') {
    await deleteSnapshot(cloud, snapshot, work);
    const message = `Cinder failed to create snapshot ${created.id}: it ended in status error and was deleted; the operator can find the cause in the Cinder log`;
    throw new CallError(status.INTERNAL, message);
  }
  return snapshot;
}
