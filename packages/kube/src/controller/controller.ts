import { type Clock, systemClock } from '@fairway/base/clock';
import { FencedError, type Grant, NO_GRANT, runUnder } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { Informer } from '../client/informer.ts';
import { keyOf } from '../client/object-key.ts';
import { ApiError, isApiError } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';
import type { KeyOwner, KeyWorker } from './key-owner.ts';
import type { ControllerMetrics, ControllerObserver } from './metrics.ts';
import type { Reconcile } from './result.ts';
import { TerminalError } from './terminal-error.ts';
import { type BackoffOptions, WorkQueue } from './work-queue.ts';

export interface ControllerOptions {
  /** Names the controller in logs and metrics: lower case, unique in the process. */
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Keys worked on at a time. */
  readonly concurrency?: number;
  readonly backoff?: BackoffOptions;
  /** Annotations by which people ask: a change of one is looked at at once, as one of the spec is. */
  readonly requestAnnotations?: readonly string[];
  readonly log?: Logger;
  readonly metrics?: ControllerMetrics | undefined;
  /** All keys are ours unless given. */
  readonly owner?: KeyOwner;
  /**
   * The key by which `owner` knows a key of this controller, such as that of the cluster of a machine; the key itself unless given. Undefined
   * for what does not exist any more: its run can tidy up in this process and nowhere else.
   */
  readonly ownerKey?: (key: string) => string | undefined;
  /** As KeyWorker's: matching keys, told by the owner's, are another's from now on. */
  readonly release?: (isMatching: (ownerKey: string) => boolean) => Promise<void> | void;
  /** How long running reconciles may go on after a stop before their signal aborts. */
  readonly stopTimeoutMs?: number;
}

export interface WatchSourceOptions<T> {
  /** Whether an update matters; left out, all do. */
  readonly isRelevant?: (old: T, object: T) => boolean;
}

/** A conflict means that the cache was a moment behind. */
const CONFLICT_BASE_MS = 50;

/** The keys of this controller's objects that `object` concerns. */
export type MapToKeys<T> = (object: T) => Iterable<string>;

interface Source {
  readonly subscribe: () => () => void;
  readonly keys: () => readonly string[];
}

/**
 * Runs a reconcile for each key that something happened to.
 *
 * Guarantees: one run of a key at a time; a run that began before a change is followed by one that began after it; a failed run is
 * repeated with backoff, a TerminalError is not. No event of any object cuts the pause after a failed run short, but what a person
 * does: a change of a watched object's spec (`metadata.generation`), of a request annotation, or its deletion.
 * Assumptions: `reconcile` is level-triggered and may be run again at any time.
 */
export class Controller implements KeyWorker {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #observer: ControllerObserver | undefined;
  readonly #queue: WorkQueue;
  readonly #sources: Source[] = [];
  readonly #subscriptions: (() => void)[] = [];
  readonly #informers = new Set<Pick<Informer<KubeObject>, 'whenSynced'>>();
  readonly #reconcileAbort = new AbortController();
  /** Owner's keys of what runs. */
  readonly #ownerKeys = new Map<string, string>();
  readonly #waiters = new Set<{ readonly isDone: () => boolean; readonly resolve: () => void }>();
  #isStarted = false;
  #isStopping = false;
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
      onReady: () => this.#pump(),
      observer: this.#observer?.queue,
    });
    options.owner?.register(this);
  }

  /** Enqueues keys for what happens in an informer: the object's own key, unless told otherwise. An update counts for what the object was and for what it is. */
  watch<T extends KubeObject>(
    informer: Informer<T>,
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
      onAdd: (object: T) => enqueue(keysOf(object)),
      onUpdate: (old: T, object: T) => {
        if (options.isRelevant?.(old, object) === false) return;
        const ask = this.#isRequest(old, object) ? request : enqueue;
        ask(keysOf(old, object));
      },
      // Another object of that name is another matter.
      onDelete: (object: T) => (isOwn ? request : enqueue)(keysOf(object)),
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

  /** Asks for a run of the key, now or after `delayMs`. */
  enqueue(key: string, delayMs = 0): void {
    this.#queue.add(key, delayMs);
  }

  /** Asks for a run of every key of the watched informers whose owner's key matches: for keys that have just become ours. */
  enqueueAll(isMatching: (key: string) => boolean = () => true): void {
    for (const key of new Set(this.#sources.flatMap((source) => source.keys()))) {
      const ownerKey = this.#ownerKeyOf(key);
      if (ownerKey !== undefined && isMatching(ownerKey)) this.enqueue(key);
    }
  }

  /** Resolves when all watched informers have synced; rejects with the signal's reason. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers].map((informer) => informer.whenSynced(signal)));
  }

  /** Begins to work, until the signal aborts. The informers are started by whoever owns them. */
  start(signal: AbortSignal): void {
    if (this.#isStarted) throw new Error(`controller ${this.name} runs already`);
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

  /** Resolves when a stop has come to its end: no reconcile runs any more, or those that do have been told to abort. */
  get stopped(): Promise<void> {
    return this.#stopped;
  }

  /** Resolves as soon as nothing runs and nothing is due now. Keys that wait for a later time don't count. */
  idle(): Promise<void> {
    return this.#when(() => this.#queue.isIdle);
  }

  /** Resolves as soon as no run is under way whose owner's key matches. */
  drained(isMatching: (key: string) => boolean): Promise<void> {
    return this.#when(() => ![...this.#ownerKeys.values()].some(isMatching));
  }

  /** Lets go of what is remembered of matching keys, told by the owner's. */
  release(isMatching: (key: string) => boolean): Promise<void> | void {
    return this.#options.release?.(isMatching);
  }

  /** Whether a person has done something to the object. Controllers write status and metadata; what else they change, they do for somebody. */
  #isRequest({ metadata: old }: KubeObject, { metadata }: KubeObject): boolean {
    if (old.generation !== metadata.generation) return true;
    if (old.deletionTimestamp !== metadata.deletionTimestamp) return true;
    const { requestAnnotations = [] } = this.#options;
    return requestAnnotations.some((name) => old.annotations?.[name] !== metadata.annotations?.[name]);
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#queue.shutDown();
    this.#settle();
    const limit = new AbortController();
    const timeout = this.#clock.after(this.#options.stopTimeoutMs ?? 10_000, () => limit.abort());
    await Promise.race([
      this.idle(),
      new Promise<void>((resolve) => limit.signal.addEventListener('abort', () => resolve(), { once: true })),
    ]);
    timeout.cancel();
    this.#reconcileAbort.abort();
  }

  /** Starts runs while there are keys and room. */
  #pump(): void {
    if (!this.#isStarted || this.#isStopping) return;
    const concurrency = this.#options.concurrency ?? 1;
    while (this.#queue.running < concurrency) {
      const key = this.#queue.take();
      if (key === undefined) break;
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    await this.#workIfOurs(key);
    this.#queue.done(key);
    this.#pump();
    this.#settle();
  }

  /** A run never inherits the grant of whoever asked for it. */
  async #workIfOurs(key: string): Promise<void> {
    const { owner } = this.#options;
    if (owner === undefined) return runUnder(undefined, () => this.#reconcile(key, undefined));
    const ownerKey = this.#ownerKeyOf(key);
    if (ownerKey === undefined) return runUnder(NO_GRANT, () => this.#reconcile(key, NO_GRANT));
    const grant = owner.grant(ownerKey);
    if (grant === undefined) return this.#queue.forget(key);
    this.#ownerKeys.set(key, ownerKey);
    await runUnder(grant, () => this.#reconcile(key, grant));
    this.#ownerKeys.delete(key);
  }

  #ownerKeyOf(key: string): string | undefined {
    return this.#options.ownerKey ? this.#options.ownerKey(key) : key;
  }

  async #reconcile(key: string, grant: Grant | undefined): Promise<void> {
    const startedMs = this.#clock.now();
    this.#observer?.started(startedMs);
    try {
      const { signal } = this.#reconcileAbort;
      const context = { signal, isAsked: this.#queue.takeRequest(key) };
      const { requeueAfterMs, failure } = await this.#options.reconcile(key, context);
      if (failure === undefined) this.#queue.forget(key);
      else this.#queue.addRateLimited(key, { minimumMs: failure.minimumMs ?? 0, canBeOvertaken: true });
      if (requeueAfterMs !== undefined) this.#queue.add(key, requeueAfterMs);
      const success = requeueAfterMs === undefined ? 'success' : 'requeue_after';
      this.#observer?.finished(failure === undefined ? success : 'error', startedMs, this.#clock.now());
    } catch (error) {
      this.#failed(key, error, startedMs, grant);
    }
  }

  #failed(key: string, error: unknown, startedMs: number, grant: Grant | undefined): void {
    // Under a grant that is good, what was shared with a run of an earlier one was refused: this one tries again.
    if (error instanceof FencedError && !grant?.isValid()) {
      this.#queue.forget(key);
      this.#observer?.finished('requeue_after', startedMs, this.#clock.now());
      this.#log.info({ key, fenced: error.message }, 'reconcile given up');
      return;
    }
    if (error instanceof TerminalError) {
      this.#queue.forget(key);
      this.#observer?.finished('terminal_error', startedMs, this.#clock.now());
      this.#log.error({ err: error, key }, 'reconcile failed for good');
      return;
    }
    const minimumMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const isConflict = isApiError(error, 'Conflict');
    // The newer object is an event that is on its way.
    const conflict = { baseMs: CONFLICT_BASE_MS, canBeOvertaken: true };
    this.#queue.addRateLimited(key, { minimumMs, ...(isConflict && conflict) });
    this.#observer?.finished('error', startedMs, this.#clock.now());
    const fields = { err: error, key, failures: this.#queue.failures(key) };
    if (isConflict || this.#reconcileAbort.signal.aborted) this.#log.debug(fields, 'reconcile failed');
    else this.#log.warn(fields, 'reconcile failed');
  }

  #when(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.add({ isDone, resolve }));
  }

  #settle(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isDone()) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}
