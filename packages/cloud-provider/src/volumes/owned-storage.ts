import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { type Stored, storageKey, storageObjectsOf } from '@fairway/tenancy/cloud/storage-index';

/** Maximum age of a list that is used as the current state. This process's own writes are known without a list. */
const MAX_AGE_MS = 60_000;

export interface OwnedStorage<T> {
  /** Items that are not being deleted, oldest first. */
  readonly items: readonly T[];
  /** Items whose deletion the cloud has accepted. */
  readonly deleting: readonly T[];
}

interface Kind<T extends Stored> {
  readonly noun: string;
  readonly cache: ResourceCache<T>;
  readonly ledger: Ledger<T>;
}

/** Items with the tags of this cluster and object. Rejects with StillSettling or with the cloud's error. */
export async function ownedStorage<T extends Stored>(
  cloud: ProjectCloud,
  { noun, cache, ledger }: Kind<T>,
  owner: StorageOwner,
  signal: AbortSignal,
): Promise<OwnedStorage<T>> {
  const listed = await cache.refreshAfter(cloud.reliableFromMs(ledger, MAX_AGE_MS), signal);
  const state = ledger.observe(storageKey(owner), storageObjectsOf(listed, owner), listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettlingError(noun, state.untilMs);
  if (cloud.trustedFromMs > cloud.now() && state.items.length === 0) {
    throw new StillSettlingError(noun, cloud.trustedFromMs);
  }
  return { items: state.items, deleting: state.deleting };
}

export interface CreateOptions {
  readonly signal: AbortSignal;
  /** Aborted when the connection to the cluster ends. */
  readonly connection: AbortSignal;
  /** Backoff group: items with the same parameters fail for the same reason. */
  readonly group: string;
}

/**
 * Sends a create request unless the connection to the cluster has ended. Deleting a cluster ends its connection, then
 * waits for requests that were already sent. `prepare` resolves with the call, and is called when the request may be
 * sent. Rejects with the same errors as `ProjectCloud.make`.
 */
export function createStorage<T extends Stored>(
  cloud: ProjectCloud,
  ledger: Ledger<T>,
  owner: StorageOwner,
  { connection, group }: Pick<CreateOptions, 'connection' | 'group'>,
  prepare: () => Promise<() => Promise<T>>,
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
