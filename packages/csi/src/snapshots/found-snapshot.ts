import { isCinderId } from '@fairway/cloud-provider/volumes/driver';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import { type StorageOwner, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { notFound } from '../calls/call-error.ts';
import { foreignObjectError, type Storage } from '../storage.ts';

export interface FoundSnapshot {
  readonly snapshot: VolumeSnapshot;
  /** The owner in the cluster; undefined for a snapshot without marks. */
  readonly owner: StorageOwner | undefined;
}

/** Like `findVolume`. */
export async function findSnapshot(
  { cloud, clusterUid, work }: Storage,
  id: string,
): Promise<FoundSnapshot | undefined> {
  if (!isCinderId(id)) return undefined;
  const snapshot = await ignoreNotFound(cloud.client.blockStorage.snapshots.get(id, { signal: work }));
  const project = snapshot?.['os-extended-snapshot-attributes:project_id'];
  if (snapshot === undefined || (project !== undefined && project !== (await cloud.client.session.projectId()))) {
    return undefined;
  }
  const owner = storageOwner(snapshot);
  if (owner !== undefined && owner.clusterUid !== clusterUid)
    throw foreignObjectError(`snapshot ${id} belongs to another cluster`);
  return { snapshot, owner };
}

/** Rejects with NOT_FOUND if the snapshot does not exist. */
export async function requireSnapshot(storage: Storage, id: string): Promise<FoundSnapshot> {
  const found = await findSnapshot(storage, id);
  if (found === undefined) throw notFound(`snapshot ${id} does not exist in the project`);
  return found;
}
