import { reserveAttachment } from '../block-storage/attachments.ts';
import { lookUpType } from '../block-storage/volume-types.ts';
import type { ApiRequest } from '../http/api.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest } from './problem.ts';
import type { RequestedVolume, ServerVolume } from './records.ts';
import { type BlockDevice, type CreateServer, isTrue } from './server-schema.ts';
import { deviceName } from './server-volumes.ts';

/** A volume of a new server: an existing one, or one to be created. */
interface BootVolume {
  readonly deleteOnTermination: boolean;
  readonly tag: string | null;
  readonly isRoot: boolean;
  readonly existingId: string | null;
  readonly wanted: RequestedVolume | null;
}

export interface BootDevices {
  /** Null if the server does not boot from an image. */
  readonly imageId: string | null;
  readonly volumes: readonly BootVolume[];
}

type Body = CreateServer['server'];

/** The image or volume that the server boots from, and its other volumes; throws Nova's 400 for invalid requests. */
export function chooseBootDevices(world: World, request: ApiRequest, server: Body): BootDevices {
  const devices = (server.block_device_mapping_v2 ?? []).map((device) => checkDevice(world, request, device));
  const rootDevice = devices.find((device) => Number(device.boot_index ?? -1) === 0);
  const volumes = devices
    .filter((device) => device.destination_type === 'volume')
    .map((device) => bootVolume(world, request, device, device === rootDevice));
  const imageId = server.imageRef ?? '';
  if (imageId === '' && rootDevice === undefined) {
    throw badRequest(
      devices.length === 0
        ? 'Invalid imageRef provided.'
        : 'Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.',
    );
  }
  if (rootDevice?.destination_type === 'volume') return { imageId: null, volumes };
  const wanted = imageId === '' ? (rootDevice?.uuid ?? '') : imageId;
  if (!isUuid(wanted)) throw badRequest('Invalid imageRef provided.');
  if (!world.config.images.some((image) => image.id === wanted)) throw badRequest('Can not find requested image');
  return { imageId: wanted, volumes };
}

/** The volumes of a new server. Existing volumes are reserved for the server. */
export function reserveBootVolumes(world: World, serverId: string, { imageId, volumes }: BootDevices): ServerVolume[] {
  const first = imageId === null ? 0 : 1;
  return volumes.map(({ deleteOnTermination, tag, isRoot, existingId, wanted }, i) => {
    const common = { deleteOnTermination, tag, isRoot, device: deviceName(first + i) };
    if (wanted !== null) return { ...common, id: world.ids.uuid(), mappingId: world.ids.uuid(), wanted };
    const volume = world.tables.volumes.get(existingId ?? '');
    if (volume === undefined) throw invalid(`failed to get volume ${existingId}.`);
    const attachment = reserveAttachment(world, volume, { instanceId: serverId, mode: null });
    return { ...common, id: volume.id, mappingId: world.ids.uuid(), attachmentId: attachment.id };
  });
}

function invalid(reason: string): Error {
  return badRequest(`Block Device Mapping is Invalid: ${reason}`);
}

function checkDevice(world: World, request: ApiRequest, device: BlockDevice): BlockDevice {
  const destination = device.destination_type ?? (device.source_type === 'volume' ? 'volume' : 'local');
  const hasSize = Number(device.volume_size ?? 0) > 0;
  if (device.source_type === 'image') {
    const image = world.config.images.find(({ id }) => id === device.uuid);
    if (image === undefined) throw invalid(`failed to get image ${device.uuid}.`);
    if (destination === 'volume' && !hasSize) {
      throw badRequest("Images with destination_type 'volume' need to have a non-zero size specified");
    }
  }
  if (device.source_type === 'blank' && destination === 'volume' && !hasSize) {
    throw invalid("Blank volumes (source: 'blank', dest: 'volume') need to have non-zero size");
  }
  const type = device.volume_type ?? undefined;
  if (destination === 'volume' && type !== undefined && lookUpType(world, request.access, type) === undefined) {
    throw badRequest(`Volume type ${type} could not be found.`);
  }
  return { ...device, destination_type: destination };
}

function bootVolume(world: World, { access }: ApiRequest, device: BlockDevice, isRoot: boolean): BootVolume {
  const common = { deleteOnTermination: isTrue(device.delete_on_termination), tag: device.tag ?? null, isRoot };
  const type = device.volume_type == null ? undefined : lookUpType(world, access, device.volume_type);
  const sizeGiB = Number(device.volume_size ?? 0);
  const wanted = { sizeGiB, typeId: type?.id ?? null, imageId: null, snapshotId: null };
  switch (device.source_type) {
    case 'volume': {
      const volume = world.tables.volumes.get(device.uuid ?? '');
      if (volume === undefined || !canSee(access, volume.projectId)) {
        throw invalid(`failed to get volume ${device.uuid}.`);
      }
      if (isRoot && !volume.isBootable) throw badRequest(`Block Device ${volume.id} is not bootable.`);
      return { ...common, existingId: volume.id, wanted: null };
    }
    case 'snapshot': {
      const snapshot = world.tables.snapshots.get(device.uuid ?? '');
      if (snapshot === undefined || !canSee(access, snapshot.projectId)) {
        throw invalid(`failed to get snapshot ${device.uuid}.`);
      }
      const size = sizeGiB || snapshot.sizeGiB;
      return { ...common, existingId: null, wanted: { ...wanted, sizeGiB: size, snapshotId: snapshot.id } };
    }
    case 'image': {
      const image = world.config.images.find(({ id }) => id === device.uuid);
      if (image !== undefined && sizeGiB < image.minDiskGiB) {
        throw badRequest(
          `Volume is smaller than the minimum size specified in image metadata. Volume size is ${sizeGiB * 1024 ** 3} bytes, minimum size is ${image.minDiskGiB * 1024 ** 3} bytes.`,
        );
      }
      return { ...common, existingId: null, wanted: { ...wanted, imageId: device.uuid ?? null } };
    }
    case 'blank':
      return { ...common, existingId: null, wanted };
  }
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);
}
