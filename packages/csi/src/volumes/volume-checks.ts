import { storageOffer } from '@fairway/cloud-provider/volumes/storage-offer';
import { invalidArgument } from '../calls/call-error.ts';
import type { CsiVolume, ValidateRequest } from '../protocol/messages.ts';
import type { Storage } from '../storage.ts';
import { incompleteReason, unsupportedReason } from './capabilities.ts';
import { requireVolume } from './found-volume.ts';
import { volumeParameters } from './volume-parameters.ts';
import { csiVolume, publishedNodes } from './volume-view.ts';

/** Confirms that a volume can be used in this way, or explains why not. */
export async function validateVolume(storage: Storage, request: ValidateRequest): Promise<object> {
  const { volume_id: id, volume_capabilities: capabilities, parameters } = request;
  if (id === '') throw invalidArgument('volume_id is missing');
  if (capabilities.length === 0) throw invalidArgument('volume_capabilities is empty');
  const incomplete = capabilities.map(incompleteReason).find((reason) => reason !== undefined);
  if (incomplete !== undefined) throw invalidArgument(`volume_capabilities: ${incomplete}`);
  const { type, availability } = volumeParameters(parameters);
  const { volume } = await requireVolume(storage, id);
  const isMultiattach = volume.multiattach;
  const unsupported = unsupportedReason(capabilities, { isMultiattach, subjectText: `volume ${id} is` });
  if (unsupported !== undefined) return { message: unsupported };
  if (Object.keys(request.mutable_parameters).length > 0) return { message: 'Cinder volumes cannot be modified' };
  if (availability !== undefined && availability !== volume.availability_zone) {
    return { message: `volume ${id} is in zone ${volume.availability_zone}` };
  }
  if (type !== undefined && !(await isOfType(storage, volume.volume_type ?? '', type))) {
    return { message: `the type of volume ${id} is ${volume.volume_type}` };
  }
  const confirmed = { volume_context: request.volume_context, volume_capabilities: capabilities, parameters };
  return { confirmed };
}

async function isOfType({ cloud, work }: Storage, name: string, typeId: string): Promise<boolean> {
  if (typeId === name) return true;
  await storageOffer(cloud, work);
  return cloud.cache.volumeTypes.snapshot().items.get(typeId)?.name === name;
}

export async function showVolume(
  storage: Storage,
  { volume_id: id }: { readonly volume_id: string },
): Promise<{ readonly volume: CsiVolume; readonly status: object }> {
  if (id === '') throw invalidArgument('volume_id is missing');
  const { volume } = await requireVolume(storage, id);
  const zones = await storageOffer(storage.cloud, storage.work);
  return { volume: csiVolume(volume, zones), status: { published_node_ids: publishedNodes(volume) } };
}
