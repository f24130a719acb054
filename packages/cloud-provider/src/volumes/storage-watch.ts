import type { PacedChange } from '@fairway/openstack/cache/paces';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import { type StorageOwner, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { type Stored, storageKey } from '@fairway/tenancy/cloud/storage-index';

interface PendingChange {
  readonly cache: object;
  readonly key: string;
  readonly change: PacedChange | undefined;
  readonly end: (isSeen?: boolean) => void;
}

interface WatchedCache {
  readonly stop: () => void;
  count: number;
}

/**
 * Watches a project's volumes or snapshots through the cache's lists while a change is expected; otherwise makes no
 * calls.
 */
export class StorageWatch<T extends Stored> {
  readonly #enqueue: (key: string) => void;
  /** Pending changes, by owner. */
  readonly #pending = new Map<string, PendingChange>();
  readonly #watched = new Map<object, WatchedCache>();

  constructor(enqueue: (key: string) => void) {
    this.#enqueue = enqueue;
  }

  /** Enqueues the key when an item of `owner` changes; triggers lists only while a `change` is in progress. */
  expect(owner: StorageOwner, key: string, cache: ResourceCache<T>, change?: PacedChange): void {
    const id = storageKey(owner);
    const known = this.#pending.get(id);
    if (known && known.change === change && known.cache === cache) return;
    const end = change === undefined ? () => {} : cache.expectChange(id, change);
    this.#watch(cache);
    this.settle(owner);
    this.#pending.set(id, { cache, key, change, end });
  }

  /** Stops watching; `seen` is the change that the last list shows, if any. */
  settle(owner: StorageOwner, seen?: PacedChange): void {
    const id = storageKey(owner);
    const pendingChange = this.#pending.get(id);
    if (pendingChange === undefined) return;
    this.#pending.delete(id);
    pendingChange.end(pendingChange.change === seen);
    this.#unwatch(pendingChange.cache);
  }

  /** Drops clusters that another replica takes over. */
  forget(isMatching: (clusterUid: string) => boolean): void {
    for (const id of this.#pending.keys()) {
      const slash = id.indexOf('/');
      const owner = { clusterUid: id.slice(0, slash), object: id.slice(slash + 1) };
      if (isMatching(owner.clusterUid)) this.settle(owner);
    }
  }

  #watch(cache: ResourceCache<T>): void {
    const watched = this.#watched.get(cache);
    if (watched) {
      watched.count += 1;
      return;
    }
    const stop = cache.subscribe(({ added, changed, removed }) => {
      for (const item of [...added, ...changed, ...removed]) {
        const owner = storageOwner(item);
        const pendingChange = owner && this.#pending.get(storageKey(owner));
        if (pendingChange) this.#enqueue(pendingChange.key);
      }
    });
    this.#watched.set(cache, { stop, count: 1 });
  }

  #unwatch(cache: object): void {
    const watched = this.#watched.get(cache);
    if (watched === undefined) return;
    watched.count -= 1;
    if (watched.count > 0) return;
    this.#watched.delete(cache);
    watched.stop();
  }
}
