import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { storageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { cinderIdOf, DRIVER, driverOf, isCinderId } from '../volumes/driver.ts';
import { ownedVolumes } from '../volumes/owned-volumes.ts';

/** Identifies a PersistentVolume within a cluster. */
interface VolumeName {
  readonly clusterUid: string;
  /** `metadata.name`. */
  readonly name: string;
}

/**
 * The volume of a PersistentVolume, as Cinder reports or will report it; undefined if the project contains no such
 * volume. A volume that Fairway created is found even without its PersistentVolume. Throws a ProblemError for a volume
 * of another cluster, and rejects with the cloud's error.
 */
export async function findVolume(
  cloud: ProjectCloud,
  { clusterUid, name }: VolumeName,
  object: PersistentVolume | undefined,
  signal: AbortSignal,
): Promise<Volume | undefined> {
  const own = await ownedVolumes(cloud, { clusterUid, object: name }, signal);
  const isForeign = object !== undefined && (driverOf(object) ?? DRIVER) !== DRIVER;
  const volumeHandle = (object && cinderIdOf(object)) ?? own.volumes[0]?.id ?? '';
  if (isForeign || !isCinderId(volumeHandle)) return undefined;
  const found = own.volumes.find(({ id }) => id === volumeHandle);
  if (found || own.deleting.some(({ id }) => id === volumeHandle)) return found;
  return findForeignVolume(cloud, clusterUid, volumeHandle, signal);
}

/** The volume, if it was created for another PersistentVolume of the cluster or was not created by Fairway. */
async function findForeignVolume(
  cloud: ProjectCloud,
  clusterUid: string,
  id: string,
  signal: AbortSignal,
): Promise<Volume | undefined> {
  const listed = cloud.cache.volumes.snapshot().items.get(id);
  const volume = listed ?? (await ignoreNotFound(cloud.client.blockStorage.volumes.get(id, { signal })));
  // An administrator's credentials can read volumes in every project.
  const project = volume?.['os-vol-tenant-attr:tenant_id'];
  if (volume === undefined || (project !== undefined && project !== (await cloud.client.session.projectId()))) {
    return undefined;
  }
  const owner = storageOwner(volume);
  if (owner === undefined) return volume;
  if (owner.clusterUid !== clusterUid) {
    const message = `volume ${id} belongs to another cluster: detach it there, and remove its ownership tags to move it`;
    throw new ProblemError({ reason: 'ConfigurationInvalid', message });
  }
  return (await ownedVolumes(cloud, owner, signal)).volumes.find((each) => each.id === id);
}

/** Records what Nova has accepted, because lists may be older. */
export function markStatus(cloud: ProjectCloud, volume: Volume, status: 'attaching' | 'detaching'): void {
  const owner = storageOwner(volume);
  if (owner) cloud.ledgers.volumes.recordWritten(storageKey(owner), { ...volume, status }, cloud.now());
}
