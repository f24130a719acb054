import type { Clock, Timer } from '@fairway/base/clock';
import type { Change } from '../store/store.ts';
import { nodeNameOf, type Selection } from './selection.ts';
import { WatchEvent } from './watch-event.ts';

export interface Watcher {
  readonly selection: Selection;
  readonly wantsBookmarks: boolean;
  deliver(event: WatchEvent): void;
  bookmark(): void;
  /** The server is shutting down. */
  finish(): void;
}

interface BucketWatchers {
  readonly byPrefix: Map<string, Set<Watcher>>;
  readonly byKey: Map<string, Set<Watcher>>;
  readonly byNode: Map<string, Set<Watcher>>;
}

/** Dispatches each change to the watches that may match it. */
export class WatchHub {
  readonly #clock: Clock;
  readonly #bookmarkMs: number;
  readonly #buckets = new Map<string, BucketWatchers>();
  readonly #all = new Set<Watcher>();
  #bookmarks = 0;
  #bookmarkTimer: Timer | undefined;

  /** @param bookmarkMs interval between bookmarks on a watch. */
  constructor(clock: Clock, bookmarkMs: number) {
    this.#clock = clock;
    this.#bookmarkMs = bookmarkMs;
  }

  get size(): number {
    return this.#all.size;
  }

  add(watcher: Watcher): void {
    this.#all.add(watcher);
    const [index, key] = this.#indexOf(watcher);
    const watchers = index.get(key);
    if (watchers === undefined) index.set(key, new Set([watcher]));
    else watchers.add(watcher);
    if (watcher.wantsBookmarks && this.#bookmarks++ === 0) this.#scheduleBookmarks();
  }

  remove(watcher: Watcher): void {
    if (!this.#all.delete(watcher)) return;
    const [index, key] = this.#indexOf(watcher);
    const watchers = index.get(key);
    watchers?.delete(watcher);
    if (watchers?.size === 0) index.delete(key);
    if (watcher.wantsBookmarks && --this.#bookmarks === 0) this.#bookmarkTimer?.cancel();
  }

  publish(change: Change): void {
    const bucket = this.#buckets.get(change.bucket);
    if (bucket === undefined) return;
    const event = new WatchEvent(change);
    const { key } = change.entry;
    deliver(bucket.byPrefix.get(''), event);
    const slash = key.indexOf('/');
    if (slash > 0) deliver(bucket.byPrefix.get(key.slice(0, slash + 1)), event);
    deliver(bucket.byKey.get(key), event);
    if (bucket.byNode.size === 0) return;
    const node = nodeNameOf(change.entry);
    const previous = change.previous && nodeNameOf(change.previous);
    deliver(bucket.byNode.get(node), event);
    if (previous !== undefined && previous !== node) deliver(bucket.byNode.get(previous), event);
  }

  /** Ends every watch on a bucket, or on all buckets. */
  finish(bucket?: string): void {
    for (const watcher of this.#all) {
      if (bucket === undefined || watcher.selection.bucket === bucket) watcher.finish();
    }
  }

  #indexOf({ selection }: Watcher): [Map<string, Set<Watcher>>, string] {
    let bucket = this.#buckets.get(selection.bucket);
    if (bucket === undefined) {
      bucket = { byPrefix: new Map(), byKey: new Map(), byNode: new Map() };
      this.#buckets.set(selection.bucket, bucket);
    }
    if (selection.key !== undefined) return [bucket.byKey, selection.key];
    if (selection.nodeName !== undefined) return [bucket.byNode, selection.nodeName];
    return [bucket.byPrefix, selection.prefix];
  }

  #scheduleBookmarks(): void {
    this.#bookmarkTimer = this.#clock.after(this.#bookmarkMs, () => {
      for (const watcher of this.#all) if (watcher.wantsBookmarks) watcher.bookmark();
      if (this.#bookmarks > 0) this.#scheduleBookmarks();
    });
  }
}

function deliver(watchers: Set<Watcher> | undefined, event: WatchEvent): void {
  if (watchers === undefined) return;
  for (const watcher of watchers) watcher.deliver(event);
}
