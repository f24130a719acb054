import { deleteSnapshot } from '@fairway/cloud-provider/volume-snapshots/owned-snapshots';
import { status } from '@grpc/grpc-js';
import { CallError, invalidArgument } from '../calls/call-error.ts';
import type { CallTime } from '../calls/call-time.ts';
import { subject } from '../calls/operations.ts';
import { foreignObjectError, type Storage } from '../storage.ts';
import { type FoundSnapshot, findSnapshot } from './found-snapshot.ts';

/** Deletes a snapshot of this cluster, and resolves when it no longer exists; a missing one counts as deleted. */
export function removeSnapshot(storage: Storage, id: string, time: CallTime): Promise<void> {
  if (id === '') throw invalidArgument('snapshot_id is missing');
  return storage.operations.run(subject.snapshot(id), 'another call', async () => {
    const found = await findSnapshot(storage, id);
    if (found === undefined) return;
    const { owner } = found;
    if (owner === undefined) {
      throw foreignObjectError(
        `snapshot ${id} was not created for this cluster, so Fairway does not delete it: delete it yourself`,
      );
    }
    const name = subject.snapshotName(owner.object);
    await storage.operations.run(name, 'CreateSnapshot', () => remove(storage, found, time));
  });
}

async function remove(storage: Storage, { snapshot }: FoundSnapshot, time: CallTime): Promise<void> {
  const { cloud, clock, work } = storage;
  const { id } = snapshot;
  const poll = async () => (await cloud.cache.volumeSnapshots.refreshAfter(clock.now(), time.signal)).items.get(id);
  const result =
    snapshot.status === 'creating'
      ? await time.pollUntil('settle', `snapshot ${id} is being created by Cinder`, async () => {
          const now = await poll();
          return now?.status === 'creating' ? undefined : { now };
        })
      : { now: snapshot };
  if (result.now === undefined) return;
  // Cinder refuses to delete a snapshot that volumes depend on, and reports it.
  if (result.now.status !== 'deleting') await deleteSnapshot(cloud, result.now, work);
  await time.pollUntil('snapshot', `snapshot ${id} is being deleted by Cinder`, async () => {
    const now = await poll();
    if (now === undefined) return true;
    if (now.status === 'deleting') return undefined;
    const message =
      now.status === 'error_deleting'
        ? `Cinder failed to delete snapshot ${id}: the cloud operator must reset its status`
        : `snapshot ${id} is ${now.status} again: retry the call`;
    throw new CallError(now.status === 'error_deleting' ? status.INTERNAL : status.ABORTED, message);
  });
}
