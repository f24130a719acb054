import { DRIVER } from '@fairway/cloud-provider/volumes/driver';
import { createVolume, deleteVolume, ownedVolumes } from '@fairway/cloud-provider/volumes/owned-volumes';
import { storageOffer } from '@fairway/cloud-provider/volumes/storage-offer';
import type { Build } from '@fairway/cloud-provider/volumes/volume-builds';
import type { StorageOffer } from '@fairway/cloud-provider/volumes/volume-plan';
import { deletionBlocker } from '@fairway/cloud-provider/volumes/volume-state';
import type { Volume, VolumeCreate, VolumeType } from '@fairway/openstack/types/block-storage';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { status } from '@grpc/grpc-js';
import { CallError, invalidArgument } from '../calls/call-error.ts';
import type { CallTime } from '../calls/call-time.ts';
import { subject } from '../calls/operations.ts';
import type { CreateVolumeRequest, CsiVolume } from '../protocol/messages.ts';
import { markedNow, type Storage } from '../storage.ts';
import { unsupportedBecause } from './capabilities.ts';
import { sizeFor } from './capacity.ts';
import { refreshVolume } from './found-volume.ts';
import { zoneFor } from './placement.ts';
import { findOrigin } from './volume-origin.ts';
import { csiVolume } from './volume-view.ts';
import { differenceOf, type WantedVolume, wantedVolume } from './wanted-volume.ts';

interface Offer {
  readonly zones: StorageOffer;
  /** The requested type; undefined for Cinder's default. */
  readonly type: VolumeType | undefined;
}

/**
 * There is one volume per name, despite kills and repeated calls: it is found by the marks of its cluster and name, which it
 * carries from its creation.
 */
export async function makeVolume(storage: Storage, request: CreateVolumeRequest, time: CallTime): Promise<CsiVolume> {
  const wanted = wantedVolume(request);
  return storage.operations.run(subject.volumeName(wanted.name), 'CreateVolume', async () => {
    const offer = await offerFor(storage, wanted);
    const volume = (await findMade(storage, wanted, offer, time)) ?? (await make(storage, wanted, offer, time));
    return csiVolume(volume, offer.zones);
  });
}

async function offerFor({ cloud, work }: Storage, { parameters, capabilities }: WantedVolume): Promise<Offer> {
  const zones = await storageOffer(cloud, work);
  const types = [...cloud.cache.volumeTypes.snapshot().items.values()];
  const type = types.find(({ id, name }) => parameters.type !== undefined && [id, name].includes(parameters.type));
  if (parameters.type !== undefined && type === undefined) {
    const names = types.map(({ name }) => name).slice(0, 20);
    throw invalidArgument(`parameter "type" is "${parameters.type}", but Cinder has ${names.join(', ')}`);
  }
  const unsupported = unsupportedBecause(capabilities, {
    isMultiattach: type !== undefined && zones.multiattachTypes.has(type.id),
    words: `volumes of ${type === undefined ? 'the default type' : `type ${type.name}`} are`,
  });
  if (unsupported !== undefined) throw invalidArgument(`volume_capabilities: ${unsupported}`);
  return { zones, type };
}

/** The volume that an earlier call created, once it is usable; undefined if there is none. */
async function findMade(
  storage: Storage,
  wanted: WantedVolume,
  { zones, type }: Offer,
  time: CallTime,
): Promise<Volume | undefined> {
  const { cloud, clusterUid, work } = storage;
  const owner = { clusterUid, object: wanted.name };
  const volumes = await markedNow(storage, cloud.cache.volumes, time, async () => {
    const owned = await ownedVolumes(cloud, owner, work);
    return { items: owned.volumes, deleting: owned.deleting };
  });
  const [volume, ...doubles] = usedFirst(volumes);
  // From requests that seemed lost but succeeded.
  for (const double of doubles) if (deletionBlocker(double) === undefined) await deleteVolume(cloud, double, work);
  if (volume === undefined) return undefined;
  const difference = differenceOf(volume, wanted, type?.name, zones);
  if (difference === undefined || volume.status === 'error') return finish(storage, owner, volume, time);
  throw new CallError(status.ALREADY_EXISTS, `volume ${volume.id} has the name ${wanted.name}, but ${difference}`);
}

function usedFirst(volumes: readonly Volume[]): readonly Volume[] {
  return volumes.toSorted((a, b) => Math.min(b.attachments.length, 1) - Math.min(a.attachments.length, 1));
}

async function make(storage: Storage, wanted: WantedVolume, offer: Offer, time: CallTime): Promise<Volume> {
  const { cloud, clusterUid, builds, work } = storage;
  const owner = { clusterUid, object: wanted.name };
  const request = await requestFor(storage, wanted, offer);
  const build = buildOf(owner, request.volume_type, request.availability_zone);
  // The create request writes the marks, and is never interrupted: its outcome would be unknown.
  let made: Volume | undefined;
  await builds.send(build, async () => {
    made = await createVolume(cloud, owner, request, { signal: work, connection: work, group: build.group });
  });
  return finish(storage, owner, made as unknown as Volume, time);
}

async function requestFor(storage: Storage, wanted: WantedVolume, { zones, type }: Offer): Promise<VolumeCreate> {
  const { name, range, parameters, requirement } = wanted;
  const origin = await findOrigin(storage, wanted.source);
  const asked = sizeFor(range);
  const isSizeAsked = (range?.required_bytes ?? 0) > 0;
  const size = isSizeAsked ? asked : Math.max(asked, origin?.sizeGiB ?? 0);
  if (origin && size < origin.sizeGiB) {
    const message = `capacity_range requests ${size} GiB, but a copy needs at least the ${origin.sizeGiB} GiB of its source`;
    throw new CallError(status.OUT_OF_RANGE, message);
  }
  const { availability } = parameters;
  const zone = zoneFor(requirement, { availability, copied: origin?.volumeZone }, zones);
  return {
    ...origin?.request,
    name,
    description: `Fairway CSI ${storage.clusterUid} ${name}`,
    size,
    ...(type !== undefined && { volume_type: type.name }),
    ...(zone !== undefined && { availability_zone: zone }),
    metadata: { [`${DRIVER}/cluster`]: storage.clusterUid, ...parameters.metadata },
  };
}

/** Volumes with equal parameters fail alike. */
function buildOf(owner: StorageOwner, type: string | null | undefined, zone: string | null | undefined): Build {
  return { group: `${owner.clusterUid}/${type ?? ''}/${zone ?? ''}`, item: storageKey(owner) };
}

/** Waits until Cinder has created it. One that Cinder fails to create is deleted, so that the next call creates another. */
async function finish(storage: Storage, owner: StorageOwner, volume: Volume, time: CallTime): Promise<Volume> {
  const { cloud, builds, work } = storage;
  const build = buildOf(owner, volume.volume_type, volume.availability_zone);
  const what = `volume ${volume.id} is being created by Cinder`;
  const done = isBeingMade(volume)
    ? await time.until('create', what, async () => {
        const now = await refreshVolume(storage, { volume, owner }, time.signal);
        if (now === undefined)
          throw new CallError(status.ABORTED, `volume ${volume.id} no longer exists: retry the call`);
        return isBeingMade(now) ? undefined : now;
      })
    : volume;
  if (done.status === 'error') {
    await deleteVolume(cloud, done, work);
    const message = `Cinder failed to create volume ${done.id} of ${done.size} GiB: it ended in status error and was deleted; the operator can find the cause in the Cinder log`;
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (done.status === 'error_deleting') {
    const message = `Cinder failed to create volume ${done.id} and to delete it: the cloud operator must reset its status`;
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (done.status === 'deleting') {
    throw new CallError(status.ABORTED, `volume ${done.id} with this name is being deleted: retry the call`);
  }
  builds.succeeded(build);
  return done;
}

function isBeingMade({ status: state }: Volume): boolean {
  return state === 'creating' || state === 'downloading';
}
