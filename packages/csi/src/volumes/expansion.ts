import { extendVolume } from '@fairway/cloud-provider/volumes/owned-volumes';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { status } from '@grpc/grpc-js';
import { CallError, failedPrecondition, invalidArgument } from '../calls/call-error.ts';
import type { CallTime } from '../calls/call-time.ts';
import { subject } from '../calls/operations.ts';
import type { ExpandRequest } from '../protocol/messages.ts';
import type { Storage } from '../storage.ts';
import { GIB, isWithin, sizeFor } from './capacity.ts';
import { refreshVolume, requireOwner, requireVolume } from './found-volume.ts';

interface ExpansionResult {
  readonly capacity_bytes: number;
  readonly node_expansion_required: boolean;
}

/** Transient states in which Cinder changes a volume without changing its size. */
const TRANSIENT_STATES: ReadonlySet<string> = new Set([
  'creating',
  'downloading',
  'reserved',
  'attaching',
  'detaching',
  'retyping',
  'uploading',
  'backing-up',
]);

/** Expands a volume, whether attached or not; resolves when it has the requested size. */
export function expandVolume(storage: Storage, request: ExpandRequest, time: CallTime): Promise<ExpansionResult> {
  const { volume_id: id, capacity_range: range, volume_capability: capability } = request;
  if (id === '') throw invalidArgument('volume_id is missing');
  if (range === null) throw invalidArgument('capacity_range is missing');
  const sizeGiB = sizeFor(range);
  return storage.operations.run(subject.volume(id), 'another call', async () => {
    const found = await requireVolume(storage, id);
    const owner = requireOwner(found, 'change');
    const description = `volume ${id} is being extended to ${sizeGiB} GiB`;
    let isRequested = false;
    const advance = async (volume: Volume | undefined): Promise<Volume | undefined> => {
      if (volume === undefined) throw new CallError(status.ABORTED, `volume ${id} no longer exists: retry the call`);
      const { status: state } = volume;
      if (state === 'error_extending') {
        const message = `Cinder failed to extend volume ${id}: the cloud operator must check it and reset its status`;
        throw new CallError(status.INTERNAL, message);
      }
      if (state === 'extending' || TRANSIENT_STATES.has(state)) return undefined;
      if (volume.size >= sizeGiB) return volume;
      if (state !== 'available' && state !== 'in-use')
        throw failedPrecondition(`volume ${id} cannot be extended: its status in Cinder is ${state}`);
      if (isRequested) throw new CallError(status.INTERNAL, `Cinder did not extend volume ${id}: see the Cinder log`);
      await extendVolume(storage.cloud, owner, volume, sizeGiB, storage.work);
      isRequested = true;
      return undefined;
    };
    const volume =
      (await advance(found.volume)) ??
      (await time.pollUntil('extend', description, async () =>
        advance(await refreshVolume(storage, found, time.signal)),
      ));
    if (!isWithin(volume.size, range)) {
      throw new CallError(
        status.OUT_OF_RANGE,
        `capacity_range: volume ${id} has ${volume.size} GiB, which exceeds limit_bytes`,
      );
    }
    // A raw device has no file system to expand.
    return { capacity_bytes: volume.size * GIB, node_expansion_required: capability?.block === undefined };
  });
}
