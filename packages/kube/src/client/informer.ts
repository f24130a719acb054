import { type Clock, systemClock } from '@fairway/base/clock';
import { fullJitterMs } from '@fairway/base/full-jitter';
import { type Logger, silentLogger } from '@fairway/base/log';
import { ApiError } from '../object/api-error.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../object/meta.ts';
import { MAX_PAGE_CHARS, smallerPage } from './bounded-pages.ts';
import { type CacheBudget, CacheOverflowError, type CacheUsage, NOTHING_HELD } from './cache-budget.ts';
import { type CacheIndex, type Change, type IndexFunction, ObjectCache } from './object-cache.ts';
import { keyOf } from './object-key.ts';
import type { ListOptions, ResourceClient, WatchEvent } from './resource-client.ts';
import { untilAborted } from './until-aborted.ts';

/** Called in order after each change to the cache. Exceptions are logged. Objects are shared: never mutate one. */
export interface InformerHandler<T> {
  onAdd?(object: T): void;
  onUpdate?(old: T, object: T): void;
  onDelete?(old: T): void;
}

export interface InformerOptions<T extends KubeObject> {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Trims an object before it is cached; may mutate it. `metadata.managedFields` is always dropped. */
  readonly trim?: ((object: T) => T) | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Objects per page of a list; reduced when a page is too large. */
  readonly pageSize?: number;
  /** Minimum duration of a watch; the maximum is 20% more. 300 s by default. */
  readonly minWatchSeconds?: number | undefined;
  /** If exceeded, the cache remains unchanged, and list and watch fail until the size drops. Unlimited by default. */
  readonly budget?: CacheBudget | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
}

/**
 * State of an informer:
 * - `empty`: nothing is cached, or the cache is too old to resume from;
 * - `listing`: pages are being read, and the cache is still the previous one;
 * - `listed`: the cache matched the server at `resourceVersion`, and a watch from there is open or about to be opened.
 *   Each event advances `resourceVersion`, so after a broken stream the next watch resumes where the last one ended.
 */
type State<T> =
  | { readonly phase: 'empty' }
  | {
      readonly phase: 'listing';
      readonly listed: Map<string, T>;
      readonly usage: CacheUsage;
      readonly continue: string;
    }
  | { readonly phase: 'listed'; resourceVersion: string };

const DEFAULT_PAGE_SIZE = 500;
const BACKOFF_BASE_MS = 800;
const BACKOFF_CAP_MS = 30_000;
/**
 * Delay before a relist after an overflow. Until objects are deleted, a relist only reads as much as fits in the cache
 * and discards it.
 */
const OVERFLOW_RETRY_MS = 300_000;
/** A watch that ends sooner than this without an event counts as a failure; otherwise a server could cause a busy loop. */
const SHORT_WATCH_MS = 1_000;
const MIN_WATCH_SECONDS = 300;
const WATCH_JITTER = 0.2;
/** The server ends a watch after its timeout. If it stays silent for this much longer, the connection is dead. */
const WATCH_OVERDUE_MS = 30_000;

/**
 * A cache of all objects of one kind and selector, kept current by list and watch.
 *
 * Guarantees: handlers see each object as one add, any number of updates and one delete, in this order. No delete is
 * lost or duplicated across broken streams, restarts and relists. Intermediate states may be skipped. Assumptions:
 * objects and handlers are not shared with a second informer that changes them. Caveats: the cache is as old as the
 * connection; `hasSynced` stays true while it is broken.
 */
export class Informer<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  readonly #options: InformerOptions<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: Logger;
  readonly #cache = new ObjectCache<T>();
  readonly #handlers = new Set<InformerHandler<T>>();
  readonly #synced = Promise.withResolvers<void>();
  #pageSize: number;
  #hasSynced = false;
  #usage = NOTHING_HELD;
  #failures = 0;
  #lastError: unknown;
  #healthySinceMs: number | undefined;
  #stopped: Promise<void> | undefined;

  constructor(client: ResourceClient<T>, options: InformerOptions<T> = {}) {
    this.client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#log = options.log ?? silentLogger;
    this.#pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) this.#cache.addIndex(name, valuesOf);
  }

  get type(): ResourceType<T> {
    return this.client.type;
  }

  /** Whether the first list is in the cache. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The error of list or watch while they fail; undefined while they work. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** When list and watch last started to work without failures, in ms since the epoch; undefined while they fail. */
  get healthySinceMs(): number | undefined {
    return this.#healthySinceMs;
  }

  /** How many objects are cached. */
  get size(): number {
    return this.#cache.size;
  }

  /** Resolves when the loop that `start` began has ended. */
  get stopped(): Promise<void> {
    return this.#stopped ?? Promise.resolve();
  }

  /** Resolves when the first list is in the cache; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return untilAborted(this.#synced.promise, signal);
  }

  /** `key` as returned by `keyOf`. */
  get(key: string): T | undefined {
    return this.#cache.get(key);
  }

  /** All objects, or those in one namespace. */
  list(namespace?: string): T[] {
    return namespace === undefined ? [...this.#cache.values()] : this.#cache.inNamespace(namespace);
  }

  /** Objects for which the index function returned `value`. */
  byIndex(name: string, value: string): T[] {
    return this.#cache.byIndex(name, value);
  }

  /** Objects that a previously added index finds under `value`. */
  find(index: CacheIndex<T>, value: string): T[] {
    return this.#cache.byIndex(index.name, value);
  }

  /** Adds an index at any time; adding the same function twice is a no-op. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#cache.addIndex(name, valuesOf);
  }

  /** Delivers the cached objects (as adds) and all later changes to `handler`. Returns a function that unsubscribes. */
  addHandler(handler: InformerHandler<T>): () => void {
    for (const object of this.#cache.values()) this.#call(handler, { type: 'add', object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Starts list and watch, which run until the signal aborts. */
  start(signal: AbortSignal): void {
    if (this.#stopped) throw new Error(`the informer of ${this.client.type.plural} is already running`);
    this.#stopped = this.#run(signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    let state: State<T> = { phase: 'empty' };
    while (!signal.aborted) {
      try {
        state = await this.#step(state, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#pageSize = smallerPage(this.#pageSize, error) ?? this.#pageSize;
        if (isUnusableVersion(error)) state = { phase: 'empty' };
        // The pages of a list that is too long are dropped, and a watch event that does not fit is not applied to the
        // cache.
        if (error instanceof CacheOverflowError) {
          state = { phase: 'empty' };
          this.#options.budget?.setUsage(this, this.#usage);
        }
        await this.#backOff(error, signal);
      }
    }
    this.#options.budget?.release(this);
  }

  #step(state: State<T>, signal: AbortSignal): Promise<State<T>> {
    if (state.phase === 'empty') return this.#listPage(new Map(), NOTHING_HELD, undefined, signal);
    if (state.phase === 'listing') return this.#listPage(state.listed, state.usage, state.continue, signal);
    return this.#watch(state, signal);
  }

  async #listPage(
    listed: Map<string, T>,
    previousUsage: CacheUsage,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<State<T>> {
    const page = await this.client.list({
      ...this.#selection(),
      limit: this.#pageSize,
      ...(this.#options.budget && { maxResponseChars: MAX_PAGE_CHARS }),
      ...(token !== undefined && { continue: token }),
      signal,
    });
    let usage = previousUsage;
    for (const item of page.items ?? []) {
      const object = this.#prepare(item);
      usage = this.#addUsage(usage, object);
      listed.set(keyOf(object), object);
    }
    if (page.metadata.continue) return { phase: 'listing', listed, usage, continue: page.metadata.continue };
    this.#usage = usage;
    this.#publish(this.#cache.replace(listed));
    this.#lastError = undefined;
    this.#healthySinceMs ??= this.#clock.now();
    if (!this.#hasSynced) {
      this.#hasSynced = true;
      this.#synced.resolve();
    }
    return { phase: 'listed', resourceVersion: page.metadata.resourceVersion ?? '' };
  }

  async #watch(state: State<T> & { phase: 'listed' }, signal: AbortSignal): Promise<State<T>> {
    const { minWatchSeconds = MIN_WATCH_SECONDS } = this.#options;
    const timeoutSeconds = Math.round(minWatchSeconds * (1 + this.#random() * WATCH_JITTER));
    const stream = new AbortController();
    const onAbort = () => stream.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    const overdue = this.#clock.after(timeoutSeconds * 1000 + WATCH_OVERDUE_MS, onAbort);
    const startedMs = this.#clock.now();
    const { resourceVersion } = state;
    try {
      const events = this.client.watch({
        ...this.#selection(),
        resourceVersion,
        allowWatchBookmarks: true,
        timeoutSeconds,
        signal: stream.signal,
      });
      for await (const event of events) {
        if (signal.aborted) break;
        this.#applyEvent(event);
        state.resourceVersion = event.object.metadata.resourceVersion ?? state.resourceVersion;
        this.#onSuccess();
      }
    } finally {
      overdue.cancel();
      signal.removeEventListener('abort', onAbort);
      if (this.#clock.now() - startedMs >= SHORT_WATCH_MS) this.#failures = 0;
    }
    const wasShort = this.#clock.now() - startedMs < SHORT_WATCH_MS && state.resourceVersion === resourceVersion;
    if (wasShort && !signal.aborted) throw new Error('the server ended the watch immediately');
    return state;
  }

  #applyEvent(event: WatchEvent<T>): void {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED': {
        const object = this.#prepare(event.object);
        this.#usage = this.#addUsage(this.#subtractUsage(this.#usage, keyOf(object)), object);
        this.#publish(this.#cache.put(object));
        break;
      }
      case 'DELETED':
        this.#usage = this.#subtractUsage(this.#usage, keyOf(event.object));
        this.#options.budget?.setUsage(this, this.#usage);
        this.#publish(this.#cache.delete(keyOf(event.object)));
        break;
      case 'BOOKMARK':
        break;
    }
  }

  /** Adds one object if the budget allows it. */
  #addUsage(usage: CacheUsage, object: T): CacheUsage {
    const { budget } = this.#options;
    if (budget === undefined) return usage;
    const sum = { objects: usage.objects + 1, chars: usage.chars + budget.costOf(object) };
    budget.setUsage(this, sum);
    return sum;
  }

  #subtractUsage(usage: CacheUsage, key: string): CacheUsage {
    const { budget } = this.#options;
    const old = this.#cache.get(key);
    if (budget === undefined || old === undefined) return usage;
    return { objects: usage.objects - 1, chars: usage.chars - budget.costOf(old) };
  }

  #prepare(object: T): T {
    delete object.metadata.managedFields;
    // kube-apiserver omits apiVersion and kind from list items.
    object.apiVersion ??= apiVersionOf(this.client.type);
    object.kind ??= this.client.type.kind;
    return this.#options.trim?.(object) ?? object;
  }

  #publish(changes: Iterable<Change<T>>): void {
    for (const change of changes) {
      for (const handler of this.#handlers) this.#call(handler, change);
    }
  }

  #call(handler: InformerHandler<T>, change: Change<T>): void {
    try {
      switch (change.type) {
        case 'add':
          handler.onAdd?.(change.object);
          break;
        case 'update':
          handler.onUpdate?.(change.old, change.object);
          break;
        case 'delete':
          handler.onDelete?.(change.old);
          break;
      }
    } catch (error) {
      this.#log.error({ err: error, resource: this.client.type.plural }, 'informer handler failed');
    }
  }

  #onSuccess(): void {
    this.#failures = 0;
    this.#lastError = undefined;
    this.#healthySinceMs ??= this.#clock.now();
  }

  async #backOff(failure: unknown, signal: AbortSignal): Promise<void> {
    this.#lastError = failure;
    this.#healthySinceMs = undefined;
    const baseMs = failure instanceof CacheOverflowError ? OVERFLOW_RETRY_MS : BACKOFF_BASE_MS;
    const delayMs = fullJitterMs(this.#failures++, baseMs, Math.max(baseMs, BACKOFF_CAP_MS), this.#random);
    const fields = { err: failure, resource: this.client.type.plural, failures: this.#failures, delayMs };
    if (this.#failures < 3) this.#log.debug(fields, 'list or watch failed');
    else this.#log.warn(fields, 'list or watch keeps failing');
    await this.#clock.sleep(delayMs, signal).catch(() => undefined);
  }

  #selection(): ListOptions {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  }
}

/** Whether the requested version or continue token is too old, or newer than a restored server has. */
function isUnusableVersion(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 410 || error.code === 400) return true;
  return error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge');
}
