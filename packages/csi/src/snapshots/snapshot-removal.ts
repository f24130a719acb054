import { deleteSnapshot } from '@fairway/cloud-provider/volume-snapshots/owned-snapshots';
import { status } from '@grpc/grpc-js';
import { CallError, invalidArgument } from '../calls/call-error.ts';
import type { CallTime } from '../calls/call-time.ts';
import { subject } from '../calls/operations.ts';
import { notOurs, type Storage } from '../storage.ts';
import { type FoundSnapshot, findSnapshot } from './found-snapshot.ts';

/** Deletes a snapshot of this cluster's, and resolves when it is gone; what is not there is gone. */
export function removeSnapshot(storage: Storage, id: string, time: CallTime): Promise<void> {
  if (id === '') throw invalidArgument('snapshot_id is missing');
  return storage.operations.run(subject.snapshot(id), 'another call', async () => {
    const found = await findSnapshot(storage, id);
    if (found === undefined) return;
    const { owner } = found;
    if (owner === undefined) {
      throw notOurs(`snapshot ${id} was not made for this cluster, so Fairway does not delete it: do it yourself`);
    }
    const name = subject.snapshotName(owner.object);
    await storage.operations.run(name, 'CreateSnapshot', () => remove(storage, found, time));
  });
}

async function remove(storage: Storage, { snapshot }: FoundSnapshot, time: CallTime): Promise<void> {
  const { cloud, clock, work } = storage;
  const { id } = snapshot;
  const look = async () => (await cloud.cache.volumeSnapshots.refreshAfter(clock.now(), time.signal)).items.get(id);
  const settled =
    snapshot.status === 'creating'
      ? await time.until('settle', `snapshot ${id} is being made by Cinder`, async () => {
          const now = await look();
          return now?.status === 'creating' ? undefined : { now };
        })
      : { now: snapshot };
  if (settled.now === undefined) return;
  // Cinder refuses one that volumes depend on, and says so.
  if (settled.now.status !== 'deleting') await deleteSnapshot(cloud, settled.now, work);
  await time.until('snapshot', `snapshot ${id} is being deleted by Cinder`, async () => {
    const now = await look();
    if (now === undefined) return true;
    if (now.status === 'deleting') return undefined;
    const message =
      now.status === 'error_deleting'
        ? `Cinder could not delete snapshot ${id}: the operator of the cloud has to reset its status`
        : `snapshot ${id} is ${now.status} again, call again`;
    throw new CallError(now.status === 'error_deleting' ? status.INTERNAL : status.ABORTED, message);
  });
}
