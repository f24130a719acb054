import { type ApiRequest, type ApiResponse } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest, invalidInput, notFound, requireWriterRole } from './problem.ts';
import type { Snapshot, Volume, VolumeType } from './records.ts';
import type { VolumeLifecycle } from './volume-lifecycle.ts';
import { requireVolumeQuota } from './volume-quota.ts';
import { createVolumeSchema, isSet, trimmed } from './volume-schema.ts';
import { defaultType, isMultiattachType, lookUpType } from './volume-types.ts';
import { volumeDetail } from './volume-view.ts';

/** The source of a volume; at most one is set. */
interface Origin {
  readonly snapshot?: Snapshot;
  readonly source?: Volume;
  readonly imageId?: string;
}

/** `POST /volumes`: everything that Cinder checks before it returns 202. See volume-lifecycle.ts for the rest. */
export function createVolume(world: World, lifecycle: VolumeLifecycle, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  requireWriterRole(access, 'volume:create');
  const { volume: body } = parseBody(createVolumeSchema(microversion), request.body);
  if (isSet(body.multiattach)) {
    throw badRequest(
      'multiattach parameter has been removed. The default behavior is to use multiattach enabled volume types. Contact your administrator to create a multiattach enabled volume type and use it to create multiattach volumes.',
    );
  }
  if (body.backup_id != null) throw notFound(`Backup ${body.backup_id} could not be found.`);
  const groupId = body.group_id ?? body.consistencygroup_id;
  if (groupId != null) throw notFound(`Group ${groupId} could not be found.`);
  const requestedTypeName = body.volume_type ? lookUpType(world, access, body.volume_type) : undefined;
  if (body.volume_type && requestedTypeName === undefined) {
    throw notFound(`Volume type with name ${body.volume_type} could not be found.`);
  }
  const origin = findOrigin(world, request, body);
  const row = makeVolume(world, lifecycle, {
    projectId: access.projectId,
    userId: access.userId,
    name: trimmed(body.name ?? body.display_name),
    description: trimmed(body.description ?? body.display_description),
    metadata: body.metadata ?? {},
    sizeGiB: body.size == null ? null : Number(body.size),
    zone: body.availability_zone ?? null,
    type: requestedTypeName ?? null,
    ...origin,
  });
  return { status: 202, body: { volume: volumeDetail(world, request, row) } };
}

/** Cinder's error for a volume without a size. */
const MALFORMED_BODY =
  'The server could not comply with the request since it is either malformed or otherwise incorrect.';

/** A volume with its requester and its source; a null size or zone is taken from the source. */
export interface VolumeRequest extends Origin {
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly sizeGiB: number | null;
  readonly zone: string | null;
  readonly type: VolumeType | null;
  /** Defaults to a new ID. */
  readonly id?: string;
}

/** Checks size, zone, type and quota, and starts creating the volume. */
export function makeVolume(world: World, lifecycle: VolumeLifecycle, requested: VolumeRequest): Volume {
  const { snapshot, source, imageId = null } = requested;
  const typeId = requested.type?.id ?? source?.typeId ?? snapshot?.typeId ?? defaultType(world).id;
  const sizeGiB = requireSize(world, requested);
  const zone = requireZone(world, requested);
  const type = world.tables.volumeTypes.get(typeId);
  requireVolumeQuota(world, requested.projectId, { resource: 'volumes', sizeGiB, typeId });
  const now = world.clock.now();
  const origin = snapshot === undefined ? source : world.tables.volumes.get(snapshot.volumeId);
  return lifecycle.begin(
    {
      id: requested.id ?? world.ids.uuid(),
      name: requested.name,
      description: requested.description,
      projectId: requested.projectId,
      userId: requested.userId,
      createdMs: now,
      updatedMs: null,
      status: 'creating',
      previousStatus: null,
      sizeGiB,
      zone,
      typeId,
      snapshotId: snapshot?.id ?? null,
      sourceVolumeId: source?.id ?? null,
      imageId: imageId ?? origin?.imageId ?? null,
      isBootable: imageId !== null || origin?.isBootable === true,
      isReadOnly: false,
      isMultiattach: type !== undefined && isMultiattachType(type),
      encryptionKeyId: type?.encryption == null ? null : world.ids.uuid(),
      metadata: requested.metadata,
      pending: null,
    },
    { step: 'create' },
  );
}

function findOrigin(
  world: World,
  { access }: ApiRequest,
  body: {
    readonly snapshot_id?: string | null | undefined;
    readonly source_volid?: string | null | undefined;
    readonly image_id?: string | null | undefined;
    readonly imageRef?: string | null | undefined;
  },
): Origin {
  const imageRef = body.image_id ?? body.imageRef;
  if (body.snapshot_id != null) {
    const snapshot = world.tables.snapshots.get(body.snapshot_id);
    if (snapshot === undefined || !canSee(access, snapshot.projectId)) {
      throw notFound(`Snapshot ${body.snapshot_id} could not be found.`);
    }
    if (snapshot.status !== 'available') {
      throw badRequest(`Invalid snapshot: Originating snapshot status must be one of 'available' values`);
    }
    return { snapshot };
  }
  if (body.source_volid != null) {
    const source = world.tables.volumes.get(body.source_volid);
    if (source === undefined || !canSee(access, source.projectId)) {
      throw notFound(`Volume ${body.source_volid} could not be found.`);
    }
    if (source.status !== 'available' && source.status !== 'in-use') {
      throw badRequest(`Invalid volume: Originating source volume status must be one of 'available, in-use' values`);
    }
    return { source };
  }
  if (imageRef == null) return {};
  const id = imageRef.split('/').at(-1) ?? '';
  const image =
    world.config.images.find((one) => one.id === id) ?? world.config.images.find(({ name }) => name === imageRef);
  if (image === undefined) throw badRequest('Invalid image identifier or unable to access requested image.');
  return { imageId: image.id };
}

function requireSize(world: World, { sizeGiB, snapshot, source, imageId }: VolumeRequest): number {
  const size = sizeGiB ?? snapshot?.sizeGiB ?? source?.sizeGiB ?? null;
  if (size === null) throw badRequest(MALFORMED_BODY);
  if (source !== undefined && size < source.sizeGiB) {
    throw invalidInput(
      `Volume size '${size}'GB cannot be smaller than original volume size  ${source.sizeGiB}GB. They must be >= original volume size.`,
    );
  }
  if (snapshot !== undefined && size < snapshot.sizeGiB) {
    throw invalidInput(
      `Volume size '${size}'GB cannot be smaller than the snapshot size ${snapshot.sizeGiB}GB. They must be >= original snapshot size.`,
    );
  }
  const image = world.config.images.find(({ id }) => id === imageId);
  if (image !== undefined && size < image.minDiskGiB) {
    throw invalidInput(`Volume size ${size}GB cannot be smaller than the image minDisk size ${image.minDiskGiB}GB.`);
  }
  return size;
}

function requireZone(world: World, { zone, snapshot, source }: VolumeRequest): string {
  const origin = snapshot === undefined ? source : world.tables.volumes.get(snapshot.volumeId);
  const name = zone ?? origin?.zone ?? world.config.zones[0]?.name ?? '';
  if (!world.config.zones.some((one) => one.name === name)) throw badRequest(`Availability zone '${name}' is invalid.`);
  if (origin !== undefined && origin.zone !== name) {
    const what = snapshot === undefined ? 'source volume' : 'snapshot';
    throw invalidInput(`Volume must be in the same availability zone as the ${what}`);
  }
  return name;
}
