import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Volume, VolumeCreate, VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import { reclaimMark, type StorageOwner, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { storageKey, storedFor } from '@fairway/tenancy/cloud/storage-index';

/** How old a list may be that shows a volume's state; a write of this process is known without it. */
const MAX_AGE_MS = 60_000;

export interface OwnedVolumes {
  /** Oldest first. */
  readonly volumes: readonly Volume[];
  /** Cinder has accepted their deletion. */
  readonly deleting: readonly Volume[];
}

/** The volumes that carry the marks of this cluster and PersistentVolume. Rejects with StillSettling, or the cloud's error. */
export async function ownedVolumes(
  cloud: ProjectCloud,
  owner: StorageOwner,
  signal: AbortSignal,
): Promise<OwnedVolumes> {
  const { items, deleting } = await ownedStorage(cloud, 'volumes', owner, signal);
  return { volumes: items, deleting };
}

/** Both in lists and ledgers of a project. */
interface StorageKinds {
  readonly volumes: Volume;
  readonly volumeSnapshots: VolumeSnapshot;
}

/** As `ownedVolumes`, of volumes or snapshots. */
export async function ownedStorage<K extends keyof StorageKinds>(
  cloud: ProjectCloud,
  kind: K,
  owner: StorageOwner,
  signal: AbortSignal,
): Promise<{ readonly items: readonly StorageKinds[K][]; readonly deleting: readonly StorageKinds[K][] }> {
  // Which they are, `kind` says of both.
  const ledger = cloud.ledgers[kind] as unknown as Ledger<StorageKinds[K]>;
  const cache = cloud.cache[kind] as unknown as ResourceCache<StorageKinds[K]>;
  const listed = await cache.refreshAfter(cloud.reliableFromMs(ledger, MAX_AGE_MS), signal);
  const state = ledger.observe(storageKey(owner), storedFor(listed, owner), listed.listedAtMs ?? 0);
  const what = kind === 'volumes' ? 'volume' : 'snapshot';
  if (state.kind === 'settling') throw new StillSettling(what, state.untilMs);
  if (cloud.trustedFromMs > cloud.now() && state.items.length === 0) {
    throw new StillSettling(what, cloud.trustedFromMs);
  }
  return state;
}

interface MakeOptions {
  readonly signal: AbortSignal;
  readonly connection: AbortSignal;
  /** What is made alike fails alike: one failure is that of all. */
  readonly group: string;
}

/**
 * Sends the request unless the connection to the cluster has ended: its deletion, which ends it, then waits for requests that were sent. Rejects like
 * `ProjectCloud.make`.
 */
export function createVolume(
  cloud: ProjectCloud,
  owner: StorageOwner,
  { metadata, ...volume }: VolumeCreate,
  options: MakeOptions,
): Promise<Volume> {
  const marked = { ...volume, metadata: { ...metadata, ...storageMetadata(owner) } };
  const prepare = async () => () => volumesOf(cloud).create(marked, { signal: options.signal });
  return makeStorage(cloud, cloud.ledgers.volumes, owner, prepare, options);
}

/** As `createVolume`, of volumes or snapshots. `prepare` resolves with the call; it is called when that may be made. */
export function makeStorage<T extends { readonly id: string }>(
  cloud: ProjectCloud,
  ledger: Ledger<T>,
  owner: StorageOwner,
  prepare: () => Promise<() => Promise<T>>,
  { connection, group }: Omit<MakeOptions, 'signal'>,
): Promise<T> {
  const key = storageKey(owner);
  const send = async () => {
    const create = await prepare();
    connection.throwIfAborted();
    ledger.recordSent(key);
    try {
      return await create();
    } catch (error) {
      if (isOpenStackError(error) && error.outcome === 'notDone') ledger.forget(key);
      else ledger.recordUnknown(key, cloud.now());
      throw error;
    }
  };
  return cloud.make(ledger, key, send, group);
}

export function deleteVolume(cloud: ProjectCloud, { id }: Volume, signal: AbortSignal): Promise<void> {
  return cloud.remove(cloud.ledgers.volumes, id, () => volumesOf(cloud).delete(id, { signal }));
}

/** Asks Cinder to have the volume grow, whether a server has it or not. */
export async function extendVolume(
  cloud: ProjectCloud,
  owner: StorageOwner,
  volume: Volume,
  sizeGiB: number,
  signal: AbortSignal,
): Promise<void> {
  const options = { signal, isInUse: volume.status === 'in-use' };
  await cloud.attempts.make({ kind: 'extend volumes', item: storageKey(owner) }, () =>
    cloud.withQuotas(sizeGiB - volume.size, () => volumesOf(cloud).extend(volume.id, sizeGiB, options)),
  );
  cloud.ledgers.volumes.recordMade(storageKey(owner), { ...volume, status: 'extending' }, cloud.now());
}

/** Notes on the volume what is to become of it without the cluster. */
export async function noteReclaimPolicy(
  cloud: ProjectCloud,
  owner: StorageOwner,
  volume: Volume,
  policy: 'Delete' | 'Retain',
  signal: AbortSignal,
): Promise<void> {
  const attempt = { kind: 'mark volumes', item: volume.id };
  const metadata = await cloud.attempts.make(attempt, () =>
    volumesOf(cloud).mergeMetadata(volume.id, reclaimMark(policy), { signal }),
  );
  cloud.ledgers.volumes.recordMade(storageKey(owner), { ...volume, metadata }, cloud.now());
}

function volumesOf({ client }: { readonly client: OpenStackClient }): OpenStackClient['blockStorage']['volumes'] {
  return client.blockStorage.volumes;
}
