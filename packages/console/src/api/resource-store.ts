import type { ListMeta } from '@fairway/kube/object/meta';
import { Backoff } from './backoff.ts';
import { connection } from './connection.ts';
import { Failure } from './failure.ts';
import { pause } from './pause.ts';
import { request } from './request.ts';
import { keyOf, type StoredObject } from './resources.ts';
import { serverClock } from './server-clock.ts';
import type { WatchEvent, WatchRequest } from './watch-channel.ts';

/** An immutable snapshot of a collection; each displayed change creates a new one. */
export interface Snapshot<T> {
  readonly items: readonly T[];
  readonly byKey: ReadonlyMap<string, T>;
  /** Whether all objects have been listed; until then `items` has the first pages. */
  readonly isComplete: boolean;
  /** Why there is no data, or no current data. */
  readonly failure: Failure | undefined;
  /** When the whole snapshot was last known to be current, by the server's clock. */
  readonly asOfMs: number | undefined;
}

export interface StoreOptions<T extends StoredObject> {
  readonly path: string;
  /** Selectors. */
  readonly query?: Readonly<Record<string, string>>;
  readonly transform?: ((object: T) => T) | undefined;
  readonly random?: () => number;
  /** Calls back before the next frame; in the background, at intervals. */
  readonly schedule: (work: () => void) => void;
  readonly list?: <R>(path: string, options: { readonly signal: AbortSignal }) => Promise<R>;
  readonly watch: (watching: WatchRequest) => AsyncIterable<readonly WatchEvent<T>[]>;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const PAGE_SIZE = '500';
/** RBAC rules and definitions change rarely. */
const REFUSED_RETRY_MS = 30_000;
/** A watch that lasted at least this long resets the backoff. */
const MIN_WATCH_MS = 5_000;

const EMPTY: Snapshot<never> = {
  items: [],
  byKey: new Map<string, never>(),
  isComplete: false,
  failure: undefined,
  asOfMs: undefined,
};

interface List<T> {
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

/**
 * Lists a collection in pages, then watches it. All components that display it share one store.
 *
 * A watch that ends resumes at the last observed version. If that is too old (410), the store lists again, and the previous snapshot remains
 * until the new list is complete. Listeners are notified at most once per frame.
 */
export class ResourceStore<T extends StoredObject> {
  readonly #options: StoreOptions<T>;
  readonly #listeners = new Set<() => void>();
  readonly #backoff: Backoff;
  #objects = new Map<string, T>();
  #snapshot: Snapshot<T> = EMPTY;
  #isComplete = false;
  #failure: Failure | undefined;
  #asOfMs: number | undefined;
  #isScheduled = false;
  #running: AbortController | undefined;
  #resourceVersion: string | undefined;

  constructor(options: StoreOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
  }

  readonly get = (): Snapshot<T> => this.#snapshot;

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange);
    return () => void this.#listeners.delete(onChange);
  };

  /** Starts, or resumes where it stopped. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    void this.#follow(this.#running.signal);
  }

  /** Stops, and retains the snapshot. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let startedMs = Number.POSITIVE_INFINITY;
      try {
        this.#resourceVersion ??= await this.#listAll(signal);
        startedMs = performance.now();
        await this.#watchFrom(this.#resourceVersion, signal);
        if (this.#lastedLongEnough(startedMs)) this.#backoff.reset();
        else await this.#pause(this.#backoff.nextMs(), signal);
      } catch (error) {
        if (signal.aborted) return;
        // Until then, the watch would have reported changes.
        if (Number.isFinite(startedMs)) this.#markCurrent(connection.heardMs());
        // A proxy that closes every connection after a minute must not increase the backoff.
        if (this.#lastedLongEnough(startedMs)) this.#backoff.reset();
        await this.#failed(toFailure(error), signal);
      }
    }
  }

  #markCurrent(atMs: number | undefined): void {
    if (atMs !== undefined) this.#asOfMs = Math.max(atMs, this.#asOfMs ?? 0);
  }

  #lastedLongEnough(startedMs: number): boolean {
    return performance.now() - startedMs >= MIN_WATCH_MS;
  }

  async #failed(failure: Failure, signal: AbortSignal): Promise<void> {
    if (failure.code === 410) {
      this.#resourceVersion = undefined;
      return this.#pause(this.#backoff.nextMs(), signal);
    }
    this.#failure = failure;
    if (!failure.keepsData) {
      // Data that the user may no longer read must disappear.
      this.#objects = new Map();
      this.#isComplete = false;
      this.#asOfMs = undefined;
    }
    if (!failure.isTransient) this.#resourceVersion = undefined;
    this.#scheduleNotify();
    await this.#pause(failure.isTransient ? this.#backoff.nextMs(failure.retryAfterMs) : REFUSED_RETRY_MS, signal);
  }

  /** Resolves with the list's resourceVersion. */
  async #listAll(signal: AbortSignal): Promise<string> {
    const list = this.#options.list ?? request;
    const listed = new Map<string, T>();
    let next: string | undefined;
    let version = '';
    do {
      const query = { ...this.#options.query, limit: PAGE_SIZE, ...(next !== undefined && { continue: next }) };
      const page = await list<List<T>>(`${this.#options.path}?${new URLSearchParams(query)}`, { signal });
      for (const item of page.items) listed.set(keyOf(item), this.#prune(item));
      version = page.metadata.resourceVersion ?? '';
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
      if (!this.#isComplete) {
        this.#objects = new Map(listed);
        this.#scheduleNotify();
      }
    } while (next !== undefined);
    this.#objects = listed;
    this.#isComplete = true;
    this.#markCurrent(serverClock.nowMs());
    this.#failure = undefined;
    this.#scheduleNotify();
    return version;
  }

  async #watchFrom(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { path, query = {}, watch } = this.#options;
    for await (const batch of watch({ path, query, resourceVersion, signal })) {
      connection.recordResponse();
      for (const event of batch) this.#apply(event);
      if (this.#failure !== undefined) {
        this.#failure = undefined;
        this.#scheduleNotify();
      }
    }
  }

  #apply(event: WatchEvent<T>): void {
    if (event.type === 'ERROR') {
      throw new Failure(event.object.code ?? 500, event.object.message ?? 'the watch failed');
    }
    const { object } = event;
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
    if (event.type === 'BOOKMARK') return;
    if (event.type === 'DELETED') this.#objects.delete(keyOf(object));
    else this.#objects.set(keyOf(object), this.#prune(object));
    this.#scheduleNotify();
  }

  #prune(object: T): T {
    const { managedFields: _, ...metadata } = object.metadata;
    const pruned = { ...object, metadata };
    return this.#options.transform?.(pruned) ?? pruned;
  }

  #scheduleNotify(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.schedule(() => {
      this.#isScheduled = false;
      const byKey = new Map(this.#objects);
      this.#snapshot = {
        items: [...byKey.values()],
        byKey,
        isComplete: this.#isComplete,
        failure: this.#failure,
        asOfMs: this.#asOfMs,
      };
      for (const listener of this.#listeners) listener();
    });
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return (this.#options.pause ?? pause)(ms, signal);
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // The browser reports a broken stream with its own error type.
  connection.recordFailure();
  return new Failure(0, error instanceof Error ? error.message : String(error));
}
