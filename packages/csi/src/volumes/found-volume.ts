import { isCinderId } from '@fairway/cloud-provider/volumes/driver';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { type StorageOwner, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { notFound } from '../calls/call-error.ts';
import { foreignObjectError, type Storage } from '../storage.ts';

export interface FoundVolume {
  readonly volume: Volume;
  /** The owner in the cluster; undefined for a volume without marks. */
  readonly owner: StorageOwner | undefined;
}

/**
 * The current volume with this ID in the project, according to Cinder; undefined if none exists. Rejects with
 * PERMISSION_DENIED for a volume with another cluster's marks, or with the cloud's error.
 */
export async function findVolume({ cloud, clusterUid, work }: Storage, id: string): Promise<FoundVolume | undefined> {
  if (!isCinderId(id)) return undefined;
  const volume = await ignoreNotFound(cloud.client.blockStorage.volumes.get(id, { signal: work }));
  // With an administrator's credential, Cinder returns volumes from every project.
  const project = volume?.['os-vol-tenant-attr:tenant_id'];
  if (volume === undefined || (project !== undefined && project !== (await cloud.client.session.projectId()))) {
    return undefined;
  }
  const owner = storageOwner(volume);
  if (owner !== undefined && owner.clusterUid !== clusterUid) {
    throw foreignObjectError(`volume ${id} belongs to another cluster: remove its ownership tags to move it`);
  }
  return { volume, owner };
}

/** Rejects with NOT_FOUND if the volume does not exist. */
export async function requireVolume(storage: Storage, id: string): Promise<FoundVolume> {
  const found = await findVolume(storage, id);
  if (found === undefined) throw notFound(`volume ${id} does not exist in the project`);
  return found;
}

/** The owner of a volume that was created for this cluster; the error for other volumes names the operation, `verb`. */
export function requireOwner({ volume, owner }: FoundVolume, verb: string): StorageOwner {
  if (owner !== undefined) return owner;
  throw foreignObjectError(
    `volume ${volume.id} was not created for this cluster, so Fairway does not ${verb} it: do so yourself`,
  );
}

/** The current volume, according to Cinder. Marked volumes come from the project's list, which all calls share. */
export async function refreshVolume(
  { cloud, clock, work }: Storage,
  { volume, owner }: FoundVolume,
  signal: AbortSignal,
): Promise<Volume | undefined> {
  if (owner === undefined) {
    return ignoreNotFound(cloud.client.blockStorage.volumes.get(volume.id, { signal: work }));
  }
  const { items } = await cloud.cache.volumes.refreshAfter(clock.now(), signal);
  return items.get(volume.id);
}
