import { deleteVolume } from '@fairway/cloud-provider/volumes/owned-volumes';
import { deletionBlocker } from '@fairway/cloud-provider/volumes/volume-state';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { status } from '@grpc/grpc-js';
import { CallError, failedPrecondition, invalidArgument } from '../calls/call-error.ts';
import type { CallTime } from '../calls/call-time.ts';
import { subject } from '../calls/operations.ts';
import type { Storage } from '../storage.ts';
import { type FoundVolume, findVolume, refreshVolume, requireOwner } from './found-volume.ts';

/** Transient states, after which the volume can be deleted. */
const TRANSIENT_STATES: ReadonlySet<string> = new Set([
  'creating',
  'downloading',
  'extending',
  'retyping',
  'detaching',
  'uploading',
  'backing-up',
]);

/** Deletes a volume of this cluster; resolves when it no longer exists. A missing one counts as deleted. */
export function removeVolume(storage: Storage, id: string, time: CallTime): Promise<void> {
  if (id === '') throw invalidArgument('volume_id is missing');
  return storage.operations.run(subject.volume(id), 'another call', async () => {
    const found = await findVolume(storage, id);
    if (found === undefined) return;
    const owner = requireOwner(found, 'delete');
    // CreateVolume calls for this volume fail with ABORTED until the deletion returns.
    await storage.operations.run(subject.volumeName(owner.object), 'CreateVolume', async () => {
      await remove(storage, found, time);
      storage.builds.abandon(storageKey(owner));
    });
  });
}

async function remove(storage: Storage, found: FoundVolume, time: CallTime): Promise<void> {
  const { id } = found.volume;
  const volume = TRANSIENT_STATES.has(found.volume.status)
    ? await time
        .pollUntil('settle', `volume ${id} is ${found.volume.status}`, async () => {
          const now = await refreshVolume(storage, found, time.signal);
          return now !== undefined && TRANSIENT_STATES.has(now.status) ? undefined : { now };
        })
        .then(({ now }) => now)
    : found.volume;
  if (volume === undefined) return;
  if (volume.status !== 'deleting') {
    const blocker = deletionBlocker(volume);
    if (blocker !== undefined) throw failedPrecondition(`volume ${id} cannot be deleted yet: ${blocker}`);
    await deleteVolume(storage.cloud, volume, storage.work);
  }
  await time.pollUntil('delete', `volume ${id} is being deleted by Cinder`, async () => {
    const now = await refreshVolume(storage, found, time.signal);
    return now === undefined ? true : requireDeleting(now);
  });
}

function requireDeleting({ id, status: state }: Volume): undefined {
  if (state === 'deleting') return undefined;
  if (state !== 'error_deleting') throw new CallError(status.ABORTED, `volume ${id} is ${state} again: retry the call`);
  const message = `Cinder failed to delete volume ${id}: the cloud operator must reset its status`;
  throw new CallError(status.INTERNAL, message);
}
