import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Volume, VolumeCreate } from '@fairway/openstack/types/block-storage';
import { reclaimMark, type StorageOwner, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { contentsByVolume, snapshotsOf } from '../volume-snapshots/tenant-snapshots.ts';
import { cinderIdOf, DRIVER, isCinderId } from './driver.ts';
import { type CreateOptions, createStorage, type OwnedStorage, ownedStorage } from './owned-storage.ts';
import type { StorageBackend } from './storage-backend.ts';
import { deletionBlocker } from './volume-state.ts';

export interface OwnedVolumes {
  /** Volumes that are not being deleted, oldest first. */
  readonly volumes: readonly Volume[];
  /** Volumes whose deletion Cinder has accepted. */
  readonly deleting: readonly Volume[];
}

/**
 * The volumes with the tags of this cluster and PersistentVolume. Rejects with StillSettling or with the cloud's error.
 */
export async function ownedVolumes(
  cloud: ProjectCloud,
  owner: StorageOwner,
  signal: AbortSignal,
): Promise<OwnedVolumes> {
  const { items, deleting } = await owned(cloud, owner, signal);
  return { volumes: items, deleting };
}

function owned(cloud: ProjectCloud, owner: StorageOwner, signal: AbortSignal): Promise<OwnedStorage<Volume>> {
  const kind = { noun: 'volume', cache: cloud.cache.volumes, ledger: cloud.ledgers.volumes };
  return ownedStorage(cloud, kind, owner, signal);
}

/** Creates a volume with the owner's tags. Rejects with the same errors as `createStorage`. */
export function createVolume(
  cloud: ProjectCloud,
  owner: StorageOwner,
  { metadata, ...volume }: VolumeCreate,
  options: CreateOptions,
): Promise<Volume> {
  const marked = { ...volume, metadata: { ...metadata, ...storageMetadata(owner) } };
  const { signal } = options;
  const prepare = async () => () => volumesOf(cloud).create(marked, { signal });
  return createStorage(cloud, cloud.ledgers.volumes, owner, options, prepare);
}

/** Deletes the volume; a missing volume counts as deleted. Rejects with the same errors as `ProjectCloud.remove`. */
export function deleteVolume(cloud: ProjectCloud, { id }: Volume, signal: AbortSignal): Promise<void> {
  return cloud.remove(cloud.ledgers.volumes, id, () => volumesOf(cloud).delete(id, { signal }));
}

/** Extends the volume in Cinder, attached or not. */
export async function extendVolume(
  cloud: ProjectCloud,
  owner: StorageOwner,
  volume: Volume,
  sizeGiB: number,
  signal: AbortSignal,
): Promise<void> {
  const options = { signal, isInUse: volume.status === 'in-use' };
  await cloud.attempts.withBackoff({ kind: 'extend volumes', item: storageKey(owner) }, () =>
    cloud.withQuotas(sizeGiB - volume.size, () => volumesOf(cloud).extend(volume.id, sizeGiB, options)),
  );
  cloud.ledgers.volumes.recordWritten(storageKey(owner), { ...volume, status: 'extending' }, cloud.now());
}

async function updateReclaimPolicy(
  cloud: ProjectCloud,
  owner: StorageOwner,
  volume: Volume,
  policy: 'Delete' | 'Retain',
  signal: AbortSignal,
): Promise<void> {
  const attempt = { kind: 'mark volumes', item: volume.id };
  const metadata = await cloud.attempts.withBackoff(attempt, () =>
    volumesOf(cloud).mergeMetadata(volume.id, reclaimMark(policy), { signal }),
  );
  cloud.ledgers.volumes.recordWritten(storageKey(owner), { ...volume, metadata }, cloud.now());
}

/** Cinder, as the storage backend of PersistentVolumes. */
export const volumeBackend: StorageBackend<Volume> = {
  driver: DRIVER,
  words: { service: 'block-storage', project: 'Cinder', noun: 'volume' },
  expansion: {
    extendableStatuses: new Set(['available', 'in-use']),
    failed: 'error_extending',
    needsNodeExpansion: (mode) => mode !== 'Block',
    isInUse: ({ status }) => status === 'in-use',
  },
  cacheOf: ({ cache }) => cache.volumes,
  ledgerOf: ({ ledgers }) => ledgers.volumes,
  ownedItems: owned,
  isBackedBy: (object, { id }) => cinderIdOf(object) === id,
  async findForeign({ client }, object, signal) {
    const handle = cinderIdOf(object) ?? '';
    if (!isCinderId(handle)) return undefined;
    const found = await ignoreNotFound(volumesOf({ client }).get(handle, { signal }));
    return found !== undefined && found.status !== 'deleting' ? handle : undefined;
  },
  delete: deleteVolume,
  heldReason: (volume, tenant) =>
    volume.status === 'deleting' ? undefined : (deletionBlocker(volume) ?? snapshotsInUse(tenant, volume)),
  extend: extendVolume,
  updateReclaimPolicy,
};

/**
 * Names the volume's snapshots in the cluster, because Cinder does not delete a volume with snapshots. For snapshots
 * that are not in the cluster, Cinder reports the problem itself.
 */
function snapshotsInUse(tenant: TenantCluster, { id }: Volume): string | undefined {
  const contents = snapshotsOf(tenant)?.contents.find(contentsByVolume, id) ?? [];
  if (contents.length === 0) return undefined;
  const names = contents.slice(0, 5).map(({ metadata }) => metadata.name);
  return `it has snapshots, which must be deleted first: VolumeSnapshotContent ${names.join(', ')}${contents.length > 5 ? '…' : ''}`;
}

function volumesOf({ client }: { readonly client: OpenStackClient }): OpenStackClient['blockStorage']['volumes'] {
  return client.blockStorage.volumes;
}
