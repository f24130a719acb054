import type { ListMeta } from '@fairway/kube/object/meta';
import { Backoff } from './backoff.ts';
import { connection } from './connection.ts';
import { Failure } from './failure.ts';
import { pause } from './pause.ts';
import { request } from './request.ts';
import { keyOf, type Stored } from './resources.ts';
import type { WatchEvent, Watching } from './watch-channel.ts';

/** What is known of a collection. A new one is made for each change that is shown. */
export interface Snapshot<T> {
  readonly items: readonly T[];
  readonly byKey: ReadonlyMap<string, T>;
  /** All have been listed. Before, `items` are the first ones. */
  readonly isComplete: boolean;
  /** Why there is nothing, or nothing newer. */
  readonly failure: Failure | undefined;
}

export interface StoreOptions<T extends Stored> {
  readonly path: string;
  /** Selectors. */
  readonly query?: Readonly<Record<string, string>>;
  readonly keep?: ((object: T) => T) | undefined;
  readonly random?: () => number;
  /** Calls back before the next picture is painted; in the background, now and then. */
  readonly schedule: (work: () => void) => void;
  readonly list?: <R>(path: string, options: { readonly signal: AbortSignal }) => Promise<R>;
  readonly watch: (watching: Watching) => AsyncIterable<readonly WatchEvent<T>[]>;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const PAGE = '500';
/** Rights and definitions change rarely. */
const REFUSED_PAUSE_MS = 30_000;
/** A watch that lasted at least this long was a good one. */
const GOOD_WATCH_MS = 5_000;

const EMPTY: Snapshot<never> = { items: [], byKey: new Map<string, never>(), isComplete: false, failure: undefined };

interface List<T> {
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

/**
 * Follows a collection: lists it in pages, and watches it from there on. All who show it share one.
 *
 * A watch that ends is resumed at the last version that was heard of, one that is too old (410) begins with a new list, and what was known stays shown
 * until the new list is complete. Changes are told once for each picture, however many there are.
 */
export class ResourceStore<T extends Stored> {
  readonly #options: StoreOptions<T>;
  readonly #listeners = new Set<() => void>();
  readonly #backoff: Backoff;
  #objects = new Map<string, T>();
  #snapshot: Snapshot<T> = EMPTY;
  #isComplete = false;
  #failure: Failure | undefined;
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

  /** Begins, or goes on where it stopped. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    void this.#follow(this.#running.signal);
  }

  /** What is known stays. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let beganMs = Number.POSITIVE_INFINITY;
      try {
        this.#resourceVersion ??= await this.#listAll(signal);
        beganMs = performance.now();
        await this.#watchFrom(this.#resourceVersion, signal);
        if (this.#wasGood(beganMs)) this.#backoff.reset();
        else await this.#pause(this.#backoff.nextMs(), signal);
      } catch (error) {
        if (signal.aborted) return;
        // A proxy that cuts each connection after a minute is no reason to wait longer each time.
        if (this.#wasGood(beganMs)) this.#backoff.reset();
        await this.#failed(asFailure(error), signal);
      }
    }
  }

  #wasGood(beganMs: number): boolean {
    return performance.now() - beganMs >= GOOD_WATCH_MS;
  }

  async #failed(failure: Failure, signal: AbortSignal): Promise<void> {
    if (failure.code === 410) {
      this.#resourceVersion = undefined;
      return this.#pause(this.#backoff.nextMs(), signal);
    }
    this.#failure = failure;
    if (!failure.isPassing) {
      // What may not be read any more is not shown any more.
      this.#objects = new Map();
      this.#isComplete = false;
      this.#resourceVersion = undefined;
    }
    this.#changed();
    await this.#pause(failure.isPassing ? this.#backoff.nextMs(failure.retryAfterMs) : REFUSED_PAUSE_MS, signal);
  }

  /** Resolves with the version of the list. */
  async #listAll(signal: AbortSignal): Promise<string> {
    const list = this.#options.list ?? request;
    const listed = new Map<string, T>();
    let next: string | undefined;
    let version = '';
    do {
      const query = { ...this.#options.query, limit: PAGE, ...(next !== undefined && { continue: next }) };
      const page = await list<List<T>>(`${this.#options.path}?${new URLSearchParams(query)}`, { signal });
      for (const item of page.items) listed.set(keyOf(item), this.#kept(item));
      version = page.metadata.resourceVersion ?? '';
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
      if (!this.#isComplete) {
        this.#objects = new Map(listed);
        this.#changed();
      }
    } while (next !== undefined);
    this.#objects = listed;
    this.#isComplete = true;
    this.#failure = undefined;
    this.#changed();
    return version;
  }

  async #watchFrom(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { path, query = {}, watch } = this.#options;
    for await (const batch of watch({ path, query, resourceVersion, signal })) {
      connection.answered();
      for (const event of batch) this.#apply(event);
      if (this.#failure !== undefined) {
        this.#failure = undefined;
        this.#changed();
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
    else this.#objects.set(keyOf(object), this.#kept(object));
    this.#changed();
  }

  #kept(object: T): T {
    const { managedFields: _, ...metadata } = object.metadata;
    const pruned = { ...object, metadata };
    return this.#options.keep?.(pruned) ?? pruned;
  }

  #changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.schedule(() => {
      this.#isScheduled = false;
      const byKey = new Map(this.#objects);
      this.#snapshot = { items: [...byKey.values()], byKey, isComplete: this.#isComplete, failure: this.#failure };
      for (const listener of this.#listeners) listener();
    });
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return (this.#options.pause ?? pause)(ms, signal);
  }
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // A stream that breaks off is an error of the browser's own.
  connection.failed();
  return new Failure(0, error instanceof Error ? error.message : String(error));
}
