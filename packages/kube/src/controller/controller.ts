import { type Clock, systemClock } from '@fairway/base/clock';
import { FencedError, type Grant, NO_GRANT, runUnderGrant } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import { waitAtMost } from '@fairway/base/wait-at-most';
import { keyOf } from '../client/object-key.ts';
import type { ObjectSource } from '../client/object-source.ts';
import { ApiError, isApiError } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';
import type { KeyOwner, KeyWorker } from './key-owner.ts';
import type { ControllerMetrics, ControllerObserver } from './metrics.ts';
import type { Reconcile } from './result.ts';
import { TerminalError } from './terminal-error.ts';
import { TracedKeys } from './traced-keys.ts';
import { type BackoffOptions, WorkQueue } from './work-queue.ts';

export interface ControllerOptions {
  /** The name of the controller in logs and metrics: lower case, unique within the process. */
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Maximum concurrent reconciles. */
  readonly concurrency?: number;
  readonly backoff?: BackoffOptions;
  /** Annotations that users set to request a run. Changing one ends the backoff, as changing the spec does. */
  readonly requestAnnotations?: readonly string[];
  readonly log?: Logger;
  readonly metrics?: ControllerMetrics | undefined;
  /** Records runs; none by default. */
  readonly tracer?: Tracer | undefined;
  /** By default this process owns all keys. */
  readonly owner?: KeyOwner;
  /**
   * Maps a key of this controller to the key that `owner` shards by, such as a machine's key to its cluster's; by
   * default the key itself. Undefined for a deleted object: its run may only clean up in this process.
   */
  readonly ownerKey?: (key: string) => string | undefined;
  /** Like `KeyWorker.release`, but called with the owner's keys. */
  readonly release?: (matches: (ownerKey: string) => boolean) => Promise<void> | void;
  /** How long running reconciles may continue after a stop before their signal aborts. */
  readonly stopTimeoutMs?: number;
}

export interface WatchSourceOptions<T> {
  /** Predicate for updates; by default all are relevant. */
  readonly isRelevant?: (old: T, object: T) => boolean;
}

/**
 * Runs that never wait asynchronously follow each other immediately. With thousands of keys they would block the event
 * loop until the last one has finished.
 */
const MAX_RUNS_PER_TURN = 100;

/** A conflict means that the cache was briefly stale. */
const CONFLICT_BASE_MS = 50;

/** A running reconcile under a grant. */
interface Run {
  readonly ownerKey: string;
  readonly abort: AbortController;
}

/** The keys of this controller's objects that `object` affects. */
export type MapToKeys<T> = (object: T) => Iterable<string>;

interface Source {
  readonly subscribe: () => () => void;
  readonly keys: () => readonly string[];
}

/**
 * Runs a reconcile for each key with an event.
 *
 * Guarantees: there is one run per key at a time; a run that began before a change is followed by one that began after
 * it; a failed run is retried with backoff, except for a TerminalError. Events don't shorten the backoff of a failed
 * run; only a user's action does: a change to a watched object's spec (`metadata.generation`) or to a request
 * annotation, or its deletion. Assumptions: `reconcile` is level-triggered and may be run again at any time.
 */
export class Controller implements KeyWorker {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #observer: ControllerObserver | undefined;
  readonly #queue: WorkQueue;
  readonly #traced: TracedKeys | undefined;
  readonly #sources: Source[] = [];
  readonly #subscriptions: (() => void)[] = [];
  readonly #informers = new Set<Pick<ObjectSource<KubeObject>, 'whenSynced'>>();
  readonly #reconcileAbort = new AbortController();
  /** Running reconciles that hold a grant. */
  readonly #runs = new Map<string, Run>();
  readonly #waiters = new Set<{ readonly isDone: () => boolean; readonly resolve: () => void }>();
  #isStarted = false;
  #isStopping = false;
  /** Runs started in this event-loop turn. */
  #runsThisTurn = 0;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = (options.log ?? silentLogger).child({ controller: options.name });
    this.#observer = options.metrics?.controller(options.name, options.concurrency ?? 1);
    this.#queue = new WorkQueue({
      clock: this.#clock,
      random: options.random ?? Math.random,
      backoff: options.backoff,
      concurrency: options.concurrency ?? 1,
      onReady: () => this.#pump(),
      observer: this.#observer?.queue,
    });
    this.#traced = options.tracer && new TracedKeys(options.tracer, options.name);
    options.owner?.register(this);
  }

  /**
   * Enqueues keys for events from a cache: the changed object's own key by default. An update enqueues the keys of both
   * the old and the new object.
   */
  watch<T extends KubeObject>(
    informer: ObjectSource<T>,
    informerKeys?: MapToKeys<T>,
    options: WatchSourceOptions<T> = {},
  ): this {
    const mapToKeys = informerKeys ?? ((object: T) => [keyOf(object)]);
    const keysOf = (...objects: readonly T[]) => new Set(objects.flatMap((object) => [...mapToKeys(object)]));
    const enqueue = (keys: Iterable<string>) => {
      for (const key of keys) this.#queue.add(key);
    };
    const request = (keys: Iterable<string>) => {
      for (const key of keys) this.#queue.retryNow(key);
    };
    const isOwn = informerKeys === undefined;
    const handler = {
      onAdd: (object: T) => enqueue(this.#recordCause(keysOf(object), object)),
      onUpdate: (old: T, object: T) => {
        if (options.isRelevant?.(old, object) === false) return;
        const add = this.#isRequest(old, object) ? request : enqueue;
        add(this.#recordCause(keysOf(old, object), object));
      },
      // The backoff does not apply to a new object with the same name.
      onDelete: (object: T) => (isOwn ? request : enqueue)(this.#recordCause(keysOf(object), object)),
    };
    const source: Source = {
      subscribe: () => informer.addHandler(handler),
      keys: () => informer.list().flatMap((object) => [...mapToKeys(object)]),
    };
    this.#informers.add(informer);
    this.#sources.push(source);
    if (this.#isStarted && !this.#isStopping) this.#subscriptions.push(source.subscribe());
    return this;
  }

  /** Enqueues the key, now or after `delayMs`. */
  enqueue(key: string, delayMs = 0): void {
    this.#queue.add(key, delayMs);
  }

  /**
   * Enqueues every key of the watched informers whose owner's key matches, for keys that this process has just taken
   * over. This scans the caches of all watched informers, which is acceptable only for a handover (a replica starts,
   * stops or crashes): never call it from an event handler or a reconcile.
   */
  enqueueAll(matches: (key: string) => boolean = () => true): void {
    for (const key of new Set(this.#sources.flatMap((source) => source.keys()))) {
      const ownerKey = this.#ownerKeyOf(key);
      if (ownerKey !== undefined && matches(ownerKey)) this.enqueue(key);
    }
  }

  /** Resolves when all watched informers have synced; rejects with the signal's reason. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers].map((informer) => informer.whenSynced(signal)));
  }

  /** Starts working, until the signal aborts. The caller starts the informers. */
  start(signal: AbortSignal): void {
    if (this.#isStarted) throw new Error(`controller ${this.name} is already running`);
    this.#isStarted = true;
    if (signal.aborted) {
      this.#isStopping = true;
      return;
    }
    for (const source of this.#sources) this.#subscriptions.push(source.subscribe());
    const stopped = Promise.withResolvers<void>();
    this.#stopped = stopped.promise;
    const onAbort = () => {
      for (const unsubscribe of this.#subscriptions) unsubscribe();
      void this.#stop().then(stopped.resolve);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#pump();
  }

  /** Resolves when the controller has stopped: no reconcile is running, or the remaining ones have been aborted. */
  get stopped(): Promise<void> {
    return this.#stopped;
  }

  /** Resolves when nothing is running or due. Keys that are due later don't count. */
  idle(): Promise<void> {
    return this.#waitUntil(() => this.#queue.isIdle);
  }

  /** Resolves when no reconcile with a matching owner's key is running. */
  drained(matches: (key: string) => boolean): Promise<void> {
    return this.#waitUntil(() => ![...this.#runs.values()].some(({ ownerKey }) => matches(ownerKey)));
  }

  /** Drops the state of keys whose owner's key matches, and aborts their running reconciles. */
  release(matches: (key: string) => boolean): Promise<void> | void {
    for (const { ownerKey, abort } of this.#runs.values()) if (matches(ownerKey)) abort.abort();
    return this.#options.release?.(matches);
  }

  /** Must be called before the keys are enqueued, because a run may begin immediately. */
  #recordCause(keys: ReadonlySet<string>, object: KubeObject): ReadonlySet<string> {
    this.#traced?.record(keys, object);
    return keys;
  }

  /** Whether a user changed the object. Controllers write status and metadata; when they change a spec, they do so on behalf of a user. */
  #isRequest({ metadata: old }: KubeObject, { metadata }: KubeObject): boolean {
    if (old.generation !== metadata.generation) return true;
    if (old.deletionTimestamp !== metadata.deletionTimestamp) return true;
    const { requestAnnotations = [] } = this.#options;
    return requestAnnotations.some((name) => old.annotations?.[name] !== metadata.annotations?.[name]);
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#queue.shutDown();
    this.#resolveWaiters();
    await waitAtMost(this.#options.stopTimeoutMs ?? 10_000, this.#clock, this.idle());
    this.#reconcileAbort.abort();
  }

  /** Starts reconciles while keys are due and concurrency allows. The rest start in the next event-loop turn. */
  #pump(): void {
    while (this.#isStarted && !this.#isStopping && this.#runsThisTurn < MAX_RUNS_PER_TURN) {
      const key = this.#queue.take();
      if (key === undefined) return;
      if (this.#runsThisTurn++ === 0) setImmediate(() => this.#nextTurn());
      void this.#work(key);
    }
  }

  #nextTurn(): void {
    this.#runsThisTurn = 0;
    this.#pump();
  }

  async #work(key: string): Promise<void> {
    await this.#workIfOwned(key);
    this.#queue.done(key);
    this.#pump();
    this.#resolveWaiters();
  }

  /** A run never inherits the grant of its caller. */
  async #workIfOwned(key: string): Promise<void> {
    const { owner } = this.#options;
    const { signal } = this.#reconcileAbort;
    if (owner === undefined) return runUnderGrant(undefined, () => this.#reconcile(key, undefined, signal));
    const ownerKey = this.#ownerKeyOf(key);
    if (ownerKey === undefined) return runUnderGrant(NO_GRANT, () => this.#reconcile(key, NO_GRANT, signal));
    const grant = owner.grant(ownerKey);
    if (grant === undefined) return this.#queue.forget(key);
    const abort = new AbortController();
    this.#runs.set(key, { ownerKey, abort });
    await runUnderGrant(grant, () => this.#reconcile(key, grant, AbortSignal.any([signal, abort.signal])));
    this.#runs.delete(key);
  }

  #ownerKeyOf(key: string): string | undefined {
    return this.#options.ownerKey ? this.#options.ownerKey(key) : key;
  }

  async #reconcile(key: string, grant: Grant | undefined, signal: AbortSignal): Promise<void> {
    const startedMs = this.#clock.now();
    this.#observer?.started(startedMs);
    try {
      const context = { signal, userTriggered: this.#queue.takeRequest(key) };
      const run = () => this.#options.reconcile(key, context);
      const { requeueAfterMs, failure } = await (this.#traced?.run(key, run) ?? run());
      if (failure === undefined) this.#queue.forget(key);
      else this.#queue.addRateLimited(key, { minimumMs: failure.minimumMs ?? 0, mayBeShortened: true });
      if (requeueAfterMs !== undefined) this.#queue.add(key, requeueAfterMs);
      const success = requeueAfterMs === undefined ? 'success' : 'requeue_after';
      this.#observer?.finished(failure === undefined ? success : 'error', startedMs, this.#clock.now());
    } catch (error) {
      this.#failed(key, error, startedMs, grant);
    }
  }

  #failed(key: string, error: unknown, startedMs: number, grant: Grant | undefined): void {
    const isStopped = error instanceof FencedError || this.#runs.get(key)?.abort.signal.aborted === true;
    // This run's grant is valid; work shared with a run under an earlier grant was refused, so retry.
    if (isStopped && !grant?.isValid()) {
      this.#queue.forget(key);
      this.#observer?.finished('requeue_after', startedMs, this.#clock.now());
      this.#log.info({ key, err: error }, 'reconcile stopped, grant lost');
      return;
    }
    if (error instanceof TerminalError) {
      this.#queue.forget(key);
      this.#observer?.finished('terminal_error', startedMs, this.#clock.now());
      this.#log.error({ err: error, key }, 'reconcile failed permanently');
      return;
    }
    const minimumMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const isConflict = isApiError(error, 'Conflict');
    // The newer object will arrive as an event.
    const conflict = { baseMs: CONFLICT_BASE_MS, mayBeShortened: true };
    this.#queue.addRateLimited(key, { minimumMs, ...(isConflict && conflict) });
    this.#observer?.finished('error', startedMs, this.#clock.now());
    const fields = { err: error, key, failures: this.#queue.failures(key) };
    if (isConflict || this.#reconcileAbort.signal.aborted) this.#log.debug(fields, 'reconcile failed');
    else this.#log.warn(fields, 'reconcile failed');
  }

  #waitUntil(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.add({ isDone, resolve }));
  }

  #resolveWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isDone()) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}
