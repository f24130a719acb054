import type { Clock } from '@fairway/base/clock';
import type { ListOptions, ResourceClient, WatchEvent, WatchOptions } from '@fairway/kube/client/resource-client';
import { expired } from '@fairway/kube/object/api-error';
import type { KubeList, KubeObject } from '@fairway/kube/object/meta';

export interface ReadBounds {
  /** Maximum number of objects that are read, in the order of their names, in addition to objects of interest. */
  readonly maxObjects: number;
  /** Characters of JSON after which a list stops reading. */
  readonly maxListChars: number;
  readonly pageSize: number;
  /**
   * The burst and the per-second rate of events that are read, in units of `charsPerEvent` characters; a larger event
   * counts as several.
   */
  readonly burst: number;
  readonly perSecond: number;
  readonly charsPerEvent: number;
  /** How often the rest is listed, if there are more objects. */
  readonly overflowMs: number;
}

interface BoundedReadsOptions {
  readonly bounds: ReadBounds;
  /** Whether changes to an object with this name are reported regardless of how many others exist. */
  readonly isOfInterest: (name: string) => boolean;
  readonly clock: Clock;
}

/** Bounded reads of a kind whose objects a tenant may create in any number, of any size, at any rate. */
export class BoundedReads<T extends KubeObject> {
  readonly #client: ResourceClient<T>;
  readonly #options: BoundedReadsOptions;
  readonly #names = new Set<string>();
  #chars = 0;
  #isOverflowing = false;
  #allowance: { tokens: number; atMs: number };

  constructor(client: ResourceClient<T>, options: BoundedReadsOptions) {
    this.#client = client;
    this.#options = options;
    this.#allowance = { tokens: options.bounds.burst, atMs: options.clock.now() };
  }

  /** Whether more objects exist than are read. */
  get isOverflowing(): boolean {
    return this.#isOverflowing;
  }

  /** The client for an informer; verbs other than list and watch are the original client's. */
  asClient(): ResourceClient<T> {
    const reads = {
      type: this.#client.type,
      list: (options: ListOptions = {}) => this.#list(options),
      watch: (options: WatchOptions = {}) => this.#watch(options),
    };
    return Object.assign(Object.create(this.#client) as ResourceClient<T>, reads);
  }

  async #list(options: ListOptions): Promise<KubeList<T>> {
    const { maxObjects, maxListChars, pageSize } = this.#options.bounds;
    if (options.continue === undefined) {
      this.#names.clear();
      this.#chars = 0;
    }
    await this.#pause(options.signal);
    const page = await this.#client.list({ ...options, limit: Math.min(pageSize, maxObjects - this.#names.size) });
    // A tenant's own API server may serve this group, and return anything.
    const found = Array.isArray(page.items) ? page.items : [];
    this.#take(page, found.length);
    const items = found.filter(isNamed).slice(0, maxObjects - this.#names.size);
    for (const item of items) this.#names.add(nameOf(item));
    const { continue: left, ...metadata } = page.metadata;
    const hasMore = Boolean(left) || items.length < found.length;
    this.#isOverflowing = hasMore && (this.#names.size >= maxObjects || this.#chars >= maxListChars);
    return this.#isOverflowing ? { ...page, metadata, items } : { ...page, items };
  }

  async *#watch(options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const { clock, bounds } = this.#options;
    const end = new AbortController();
    const wasOverflowing = this.#isOverflowing;
    const timer = wasOverflowing ? clock.after(bounds.overflowMs, () => end.abort()) : undefined;
    const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal;
    try {
      for await (const event of this.#client.watch({ ...options, signal })) {
        await this.#pause(signal);
        this.#take(event);
        if (event.type === 'BOOKMARK' || (isNamed(event.object) && this.#isRead(event))) yield event;
        // Objects dropped during the watch are listed again from time to time.
        if (this.#isOverflowing && !wasOverflowing) throw expired(OVERFLOW);
      }
    } finally {
      timer?.cancel();
    }
    if (end.signal.aborted) throw expired(OVERFLOW);
  }

  #isRead({ type, object }: WatchEvent<T>): boolean {
    const { bounds, isOfInterest } = this.#options;
    const name = nameOf(object);
    if (type === 'DELETED') return this.#names.delete(name) || isOfInterest(name);
    if (this.#names.has(name) || isOfInterest(name)) return true;
    if (this.#names.size >= bounds.maxObjects) {
      this.#isOverflowing = true;
      return false;
    }
    if (this.#isOverflowing) return false;
    this.#names.add(name);
    return true;
  }

  #take(read: object, count = 1): void {
    const { burst, perSecond, charsPerEvent } = this.#options.bounds;
    const chars = JSON.stringify(read).length;
    this.#chars += chars;
    const nowMs = this.#options.clock.now();
    const { tokens, atMs } = this.#allowance;
    const now = Math.min(burst, tokens + ((nowMs - atMs) * perSecond) / 1000);
    this.#allowance = { tokens: now - Math.max(count, Math.ceil(chars / charsPerEvent)), atMs: nowMs };
  }

  /**
   * Waits until the budget permits another read. Unread events fill the server's buffer, after which the server ends
   * the watch.
   */
  async #pause(signal: AbortSignal | undefined): Promise<void> {
    const { perSecond } = this.#options.bounds;
    const { tokens, atMs } = this.#allowance;
    const { clock } = this.#options;
    const waitMs = atMs + (-tokens / perSecond) * 1000 - clock.now();
    if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => {});
  }
}

const OVERFLOW = 'there are more objects than the read limit';

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

function isNamed(object: KubeObject | null): boolean {
  return typeof object?.metadata?.name === 'string';
}
