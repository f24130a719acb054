import type { Clock, Timer } from '@fairway/base/clock';
import { FairQueue } from '@fairway/base/fair-queue';
import { DueHeap } from './due-heap.ts';

/** Receives a work queue's reports for metrics. */
export interface WorkQueueObserver {
  added(): void;
  retried(): void;
  /** Reports that the number of due, waiting keys changed. */
  depthChanged(delta: number): void;
  /** Reports how long a due key waited to be taken. */
  waited(durationMs: number): void;
}

export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff?: BackoffOptions | undefined;
  /** Maximum keys processed at a time; unlimited by default. */
  readonly concurrency?: number | undefined;
  /** Called when there is a key to take. */
  readonly onReady: () => void;
  readonly observer?: WorkQueueObserver | undefined;
}

/** 5 ms is client-go's base; its cap of 1000 s would delay a cluster for too long after a cloud recovers. */
export const DEFAULT_BACKOFF: BackoffOptions = { baseMs: 5, maxMs: 300_000 };

export interface RateLimit {
  /** Lower bound of the delay. */
  readonly minimumMs?: number;
  /** Overrides the queue's base. */
  readonly baseMs?: number;
  /** Whether an add shortens the delay; otherwise only `retryNow` does. */
  readonly mayBeShortened?: boolean;
}

interface Entry {
  readonly key: string;
  /** When the key is due; undefined if it is not queued. */
  dueMs: number | undefined;
  /** Only `retryNow` makes it due earlier. */
  notBeforeMs: number;
  isRunning: boolean;
  userTriggered: boolean;
  failures: number;
}

/**
 * A work queue of keys.
 *
 * Guarantees: a key is queued once however often it is added, and is due at the earliest requested time. It is never
 * taken while it is running; adds during a run cause exactly one more run. A failed key is not taken before its backoff
 * has passed, however often it is added: only `retryNow` ends a backoff. Due keys are taken round-robin by namespace,
 * and within a namespace in the order of their due times. The keys of one namespace never take all slots: see
 * FairQueue.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #backoff: BackoffOptions;
  readonly #entries = new Map<string, Entry>();
  /** Due now, by namespace; not running. */
  readonly #ready: FairQueue<Entry>;
  /** Due later; not running. */
  readonly #waiting = new DueHeap<Entry>();
  #timer: { readonly dueMs: number; readonly timer: Timer } | undefined;
  #isShutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#ready = new FairQueue(options.concurrency);
  }

  /** How many keys are being processed. */
  get running(): number {
    return this.#ready.running;
  }

  /** Whether nothing is running or due; keys may be due later. */
  get isIdle(): boolean {
    this.#promote();
    return this.#ready.running === 0 && this.#ready.size === 0;
  }

  /** Makes a key due now, or after `delayMs`. */
  add(key: string, delayMs = 0): void {
    if (this.#isShutDown) return;
    this.#options.observer?.added();
    const entry = this.#entry(key);
    const dueMs = Math.max(this.#options.clock.now() + Math.max(0, delayMs), entry.notBeforeMs);
    if (entry.dueMs !== undefined && entry.dueMs <= dueMs) return;
    entry.dueMs = dueMs;
    if (!entry.isRunning) this.#offer(entry, dueMs);
  }

  /** Makes a running key due after its backoff, which doubles with each call until `forget`. */
  addRateLimited(key: string, { minimumMs = 0, baseMs = this.#backoff.baseMs, mayBeShortened }: RateLimit = {}): void {
    if (this.#isShutDown) return;
    const entry = this.#entry(key);
    const backoffMs = Math.min(this.#backoff.maxMs, baseMs * 2 ** Math.min(entry.failures++, 30));
    const delayMs = Math.max(minimumMs, backoffMs * (0.75 + this.#options.random() / 4));
    this.#options.observer?.retried();
    // A user's request during the run skips the backoff.
    if (!mayBeShortened && !entry.userTriggered) {
      entry.notBeforeMs = this.#options.clock.now() + delayMs;
      // Adds during the run wait for the backoff too.
      if (entry.isRunning && entry.dueMs !== undefined) entry.dueMs = Math.max(entry.dueMs, entry.notBeforeMs);
    }
    this.add(key, delayMs);
  }

  /**
   * Makes a key due now and ends its backoff, because a user requested it. `takeRequest` reports this to the next run.
   */
  retryNow(key: string): void {
    if (this.#isShutDown) return;
    const entry = this.#entry(key);
    entry.notBeforeMs = Number.NEGATIVE_INFINITY;
    entry.failures = 0;
    entry.userTriggered = true;
    this.add(key);
  }

  /** Whether a user requested the run that has just been taken. */
  takeRequest(key: string): boolean {
    const entry = this.#entries.get(key);
    const isRequested = entry?.userTriggered ?? false;
    if (entry) entry.userTriggered = false;
    return isRequested;
  }

  /** Resets the backoff of a key. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.failures = 0;
    entry.notBeforeMs = Number.NEGATIVE_INFINITY;
    this.#dropIfUnused(entry);
  }

  /** Number of consecutive failures for the key. */
  failures(key: string): number {
    return this.#entries.get(key)?.failures ?? 0;
  }

  /** The next due key, which then runs until `done`; undefined if none is due or no slot is free. */
  take(): string | undefined {
    this.#promote();
    const entry = this.#ready.take();
    if (entry === undefined) return undefined;
    this.#options.observer?.depthChanged(-1);
    this.#options.observer?.waited(this.#options.clock.now() - (entry.dueMs ?? this.#options.clock.now()));
    entry.dueMs = undefined;
    entry.isRunning = true;
    return entry.key;
  }

  /** Ends the run of a key. */
  done(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry?.isRunning) return;
    entry.isRunning = false;
    this.#ready.done(namespaceOf(key));
    if (entry.dueMs === undefined) this.#dropIfUnused(entry);
    else this.#offer(entry, entry.dueMs);
  }

  /** Drops queued keys and accepts no more. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#options.observer?.depthChanged(-this.#ready.size);
    this.#ready.clear();
    this.#waiting.clear();
    for (const entry of this.#entries.values()) {
      entry.dueMs = undefined;
      if (!entry.isRunning) this.#entries.delete(entry.key);
    }
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known) return known;
    const entry = {
      key,
      dueMs: undefined,
      notBeforeMs: Number.NEGATIVE_INFINITY,
      isRunning: false,
      userTriggered: false,
      failures: 0,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #dropIfUnused(entry: Entry): void {
    if (entry.dueMs === undefined && !entry.isRunning && entry.failures === 0) this.#entries.delete(entry.key);
  }

  #offer(entry: Entry, dueMs: number): void {
    if (dueMs > this.#options.clock.now()) {
      this.#waiting.push(entry, dueMs);
      this.#armTimer();
      return;
    }
    this.#waiting.remove(entry);
    this.#makeReady(entry);
    this.#options.onReady();
  }

  #makeReady(entry: Entry): void {
    this.#ready.add(namespaceOf(entry.key), entry);
    this.#options.observer?.depthChanged(1);
  }

  /** Moves keys that have become due. */
  #promote(): void {
    const nowMs = this.#options.clock.now();
    while ((this.#waiting.nextDueMs ?? Infinity) <= nowMs) {
      const entry = this.#waiting.pop();
      if (entry) this.#makeReady(entry);
    }
  }

  /** Sets the only timer, for the earliest due key. */
  #armTimer(): void {
    const dueMs = this.#waiting.nextDueMs;
    if (dueMs === undefined || (this.#timer && this.#timer.dueMs <= dueMs)) return;
    this.#timer?.timer.cancel();
    const timer = this.#options.clock.after(dueMs - this.#options.clock.now(), () => {
      this.#timer = undefined;
      this.#promote();
      this.#armTimer();
      if (this.#ready.size > 0) this.#options.onReady();
    });
    this.#timer = { dueMs, timer };
  }
}

/** Each key of a cluster-scoped object gets its own slot, because no tenant creates such objects. */
function namespaceOf(key: string): string {
  const mark = key.indexOf('/');
  return mark < 0 ? key : key.slice(0, mark);
}
