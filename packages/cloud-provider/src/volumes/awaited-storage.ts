import type { PacedChange } from '@fairway/openstack/cache/paces';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import { type StorageOwner, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { type Stored, storageKey } from '@fairway/tenancy/cloud/storage-index';

interface Awaited {
  readonly cache: object;
  readonly key: string;
  readonly change: PacedChange | undefined;
  readonly end: (isSeen?: boolean) => void;
}

interface Watched {
  readonly stop: () => void;
  count: number;
}

/** Watches a project's volumes or snapshots, by the cache's lists, while a change of one is awaited; without that it costs nothing. */
export class AwaitedStorage<T extends Stored> {
  readonly #enqueue: (key: string) => void;
  /** By the owner of what is awaited. */
  readonly #awaited = new Map<string, Awaited>();
  readonly #watched = new Map<object, Watched>();

  constructor(enqueue: (key: string) => void) {
    this.#enqueue = enqueue;
  }

  /** Enqueues the key when what `owner` has changes; lists are made for it only when a `change` is under way. */
  expect(owner: StorageOwner, key: string, cache: ResourceCache<T>, change?: PacedChange): void {
    const id = storageKey(owner);
    const known = this.#awaited.get(id);
    if (known && known.change === change && known.cache === cache) return;
    const end = change === undefined ? () => {} : cache.expectChange(id, change);
    this.#watch(cache);
    this.settle(owner);
    this.#awaited.set(id, { cache, key, change, end });
  }

  /** Ends it; `seen` is the change that the last list shows, if any. */
  settle(owner: StorageOwner, seen?: PacedChange): void {
    const id = storageKey(owner);
    const awaited = this.#awaited.get(id);
    if (awaited === undefined) return;
    this.#awaited.delete(id);
    awaited.end(awaited.change === seen);
    this.#unwatch(awaited.cache);
  }

  /** Of clusters that are another process's from now on. */
  forget(isMatching: (clusterUid: string) => boolean): void {
    for (const id of this.#awaited.keys()) {
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
        const awaited = owner && this.#awaited.get(storageKey(owner));
        if (awaited) this.#enqueue(awaited.key);
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
