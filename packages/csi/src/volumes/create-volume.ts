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
import { listMarkedObjects, type Storage } from '../storage.ts';
import { unsupportedReason } from './capabilities.ts';
import { sizeFor } from './capacity.ts';
import { type DesiredVolume, desiredVolume, differenceOf } from './desired-volume.ts';
import { refreshVolume } from './found-volume.ts';
import { zoneFor } from './placement.ts';
import { findOrigin } from './volume-origin.ts';
import { csiVolume } from './volume-view.ts';

interface CreateContext {
  readonly zones: StorageOffer;
  /** The requested type; undefined for Cinder's default. */
  readonly type: VolumeType | undefined;
}

/**
 * Creates one volume per name, despite crashes and retries: the volume is marked with its cluster and name from
 * its creation, and found by these marks.
 */
export async function createVolumeOnce(
  storage: Storage,
  request: CreateVolumeRequest,
  time: CallTime,
): Promise<CsiVolume> {
  const desired = desiredVolume(request);
  return storage.operations.run(subject.volumeName(desired.name), 'CreateVolume', async () => {
    const createContext = await createContextFor(storage, desired);
    const volume =
      (await findCreated(storage, desired, createContext, time)) ??
      (await create(storage, desired, createContext, time));
    return csiVolume(volume, createContext.zones);
  });
}

async function createContextFor(
  { cloud, work }: Storage,
  { parameters, capabilities }: DesiredVolume,
): Promise<CreateContext> {
  const zones = await storageOffer(cloud, work);
  const types = [...cloud.cache.volumeTypes.snapshot().items.values()];
  const type = types.find(({ id, name }) => parameters.type !== undefined && [id, name].includes(parameters.type));
  if (parameters.type !== undefined && type === undefined) {
    const names = types.map(({ name }) => name).slice(0, 20);
    throw invalidArgument(`parameter "type" is "${parameters.type}", but Cinder has ${names.join(', ')}`);
  }
  const unsupported = unsupportedReason(capabilities, {
    isMultiattach: type !== undefined && zones.multiattachTypes.has(type.id),
    subjectText: `volumes of ${type === undefined ? 'the default type' : `type ${type.name}`} are`,
  });
  if (unsupported !== undefined) throw invalidArgument(`volume_capabilities: ${unsupported}`);
  return { zones, type };
}

/** The volume that an earlier call created, when it is usable; undefined if none exists. */
async function findCreated(
  storage: Storage,
  desired: DesiredVolume,
  { zones, type }: CreateContext,
  time: CallTime,
): Promise<Volume | undefined> {
  const { cloud, clusterUid, work } = storage;
  const owner = { clusterUid, object: desired.name };
  const volumes = await listMarkedObjects(storage, cloud.cache.volumes, time, async () => {
    const owned = await ownedVolumes(cloud, owner, work);
    return { items: owned.volumes, deleting: owned.deleting };
  });
  const [volume, ...duplicates] = sortAttachedFirst(volumes);
  // Duplicates come from requests that seemed lost but succeeded.
  for (const duplicate of duplicates)
    if (deletionBlocker(duplicate) === undefined) await deleteVolume(cloud, duplicate, work);
  if (volume === undefined) return undefined;
  const difference = differenceOf(volume, desired, type?.name, zones);
  if (difference === undefined || volume.status === 'error') return waitUntilCreated(storage, owner, volume, time);
  throw new CallError(status.ALREADY_EXISTS, `volume ${volume.id} has the name ${desired.name}, but ${difference}`);
}

function sortAttachedFirst(volumes: readonly Volume[]): readonly Volume[] {
  return volumes.toSorted((a, b) => Math.min(b.attachments.length, 1) - Math.min(a.attachments.length, 1));
}

async function create(
  storage: Storage,
  desired: DesiredVolume,
  createContext: CreateContext,
  time: CallTime,
): Promise<Volume> {
  const { cloud, clusterUid, builds, work } = storage;
  const owner = { clusterUid, object: desired.name };
  const request = await requestFor(storage, desired, createContext);
  const build = buildOf(owner, request.volume_type, request.availability_zone);
  // The create request writes the marks, and is never interrupted: otherwise its outcome would be unknown.
  let created: Volume | undefined;
  await builds.send(build, async () => {
    created = await createVolume(cloud, owner, request, { signal: work, connection: work, group: build.group });
  });
  return waitUntilCreated(storage, owner, created as unknown as Volume, time);
}

async function requestFor(
  storage: Storage,
  desired: DesiredVolume,
  { zones, type }: CreateContext,
): Promise<VolumeCreate> {
  const { name, range, parameters, requirement } = desired;
  const origin = await findOrigin(storage, desired.source);
  const requestedGiB = sizeFor(range);
  const isSizeRequested = (range?.required_bytes ?? 0) > 0;
  const size = isSizeRequested ? requestedGiB : Math.max(requestedGiB, origin?.sizeGiB ?? 0);
  if (origin && size < origin.sizeGiB) {
    const message = `capacity_range requests ${size} GiB, but a copy needs at least the ${origin.sizeGiB} GiB of its source`;
    throw new CallError(status.OUT_OF_RANGE, message);
  }
  const { availability } = parameters;
  const zone = zoneFor(requirement, { availability, sourceZone: origin?.volumeZone }, zones);
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

/** Volumes with equal parameters share a backoff group, because they fail in the same way. */
function buildOf(owner: StorageOwner, type: string | null | undefined, zone: string | null | undefined): Build {
  return { group: `${owner.clusterUid}/${type ?? ''}/${zone ?? ''}`, item: storageKey(owner) };
}

/**
 * Waits until Cinder has created the volume. If Cinder fails, the volume is deleted, so that the next call creates
 * another.
 */
async function waitUntilCreated(
  storage: Storage,
  owner: StorageOwner,
  volume: Volume,
  time: CallTime,
): Promise<Volume> {
  const { cloud, builds, work } = storage;
  const build = buildOf(owner, volume.volume_type, volume.availability_zone);
  const description = `volume ${volume.id} is being created by Cinder`;
  const settled = isBeingCreated(volume)
    ? await time.pollUntil('create', description, async () => {
        const now = await refreshVolume(storage, { volume, owner }, time.signal);
        if (now === undefined)
          throw new CallError(status.ABORTED, `volume ${volume.id} no longer exists: retry the call`);
        return isBeingCreated(now) ? undefined : now;
      })
    : volume;
  if (settled.status === 'error') {
    await deleteVolume(cloud, settled, work);
    const message = `Cinder failed to create volume ${settled.id} of ${settled.size} GiB: it ended in status error and was deleted; the operator can find the cause in the Cinder log`;
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (settled.status === 'error_deleting') {
    const message = `Cinder failed to create volume ${settled.id} and to delete it: the cloud operator must reset its status`;
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (settled.status === 'deleting') {
    throw new CallError(status.ABORTED, `volume ${settled.id} with this name is being deleted: retry the call`);
  }
  builds.succeeded(build);
  return settled;
}

function isBeingCreated({ status: state }: Volume): boolean {
  return state === 'creating' || state === 'downloading';
}
