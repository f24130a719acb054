import type { Clock, Timer } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { Priority } from '../http/budget.ts';
import { isOpenStackError } from '../http/openstack-error.ts';
import type { ListGroup, ListGroupMember } from './list-group.ts';
import type { Pace } from './pace.ts';
import { type PacedChange, Paces } from './paces.ts';
import { DEFAULT_INTERVALS, type PollIntervals, pollDelayMs } from './poll-schedule.ts';
import { type Delta, diffItems, type Identifiable, type Snapshot } from './snapshot.ts';

export interface ListCall {
  readonly signal: AbortSignal;
  readonly priority: Priority;
}

export interface ResourceCacheOptions<T extends Identifiable> {
  /** `servers`, for logs and errors. */
  readonly name: string;
  readonly list: (call: ListCall) => AsyncIterable<T>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly intervals?: Partial<PollIntervals>;
  /**
   * The group of caches that list the same project with different credentials. Called at each list, because only the
   * login determines the project; rejects whenever a list would.
   */
  readonly group?: (() => Promise<ListGroup<T>>) | undefined;
  /** Shared by the caches of one cloud; separate by default. */
  readonly paces?: Paces | undefined;
  /** Whether calls to the cloud are queued. */
  readonly isBudgetExhausted?: () => boolean;
  readonly logger?: Logger;
}

/** Ends the expectation; `isSeen` means that the last list shows the change. */
type EndExpectation = (isSeen?: boolean) => void;

interface Expectation {
  readonly reason: string;
  readonly sinceMs: number;
  /** Undefined if polls are as frequent as for other expectations. */
  readonly pace: Pace | undefined;
  /** When to poll, according to its pace. */
  pollAtMs: number;
}

interface Waiter<T extends Identifiable> {
  readonly sinceMs: number;
  readonly resolve: (snapshot: Snapshot<T>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A cache of one project's resources of one kind, refreshed by lists that all subscribers share.
 *
 * ## Expected flow Subscribe; in a reconcile read `snapshot()`; write to the cloud; `expectChange` until the snapshot
 * shows the change; after a restart or a write, `refreshAfter(clock.now())` before concluding that something does *not*
 * exist.
 *
 * ## Guarantees
 * - Nothing is listed without subscribers or waiters. At most one list is in flight, here and in the group.
 * - `refreshAfter(t)` resolves with a list that began after `t` and so shows every write that ended by `t`; any number
 *   of waiters share it.
 * - A failure keeps the snapshot and marks it stale. Later lists back off, at least as long as Retry-After.
 * - Listeners get each change once, in order, and never before the snapshot shows it.
 *
 * ## Caveats A list of several pages is not atomic: an item may be missed while pages shift, and appears in the next
 * list.
 */
export class ResourceCache<T extends Identifiable> implements ListGroupMember<T> {
  readonly name: string;
  readonly #options: ResourceCacheOptions<T>;
  readonly #clock: Clock;
  readonly #intervals: PollIntervals;
  readonly #logger: Logger;
  readonly #listeners = new Set<{ readonly notify: (delta: Delta<T>) => void }>();
  readonly #passive = new Set<{ readonly notify: (delta: Delta<T>) => void }>();
  readonly #expectations = new Set<Expectation>();
  readonly #fastPollers = new Set<object>();
  readonly #paces: Paces;
  readonly #waiters = new Set<Waiter<T>>();
  readonly #abort = new AbortController();
  #snapshot: Snapshot<T> = { items: new Map(), listedAtMs: undefined };
  #isListing = false;
  /** When the current or last list began. */
  #startedMs = Number.NEGATIVE_INFINITY;
  /** When the list before the snapshot's list began. */
  #listedBeforeMs = Number.NEGATIVE_INFINITY;
  /** When the next periodic list begins. */
  #pollAtMs = Number.NEGATIVE_INFINITY;
  #invalidatedAtMs: number | undefined;
  /** Lists since the last new expectation. */
  #fastPolls = 0;
  /** Consecutive failed lists. */
  #failures = 0;
  #timer: Timer | undefined;
  /** Set if the last list succeeded. */
  #group: ListGroup<T> | undefined;

  constructor(options: ResourceCacheOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#paces = options.paces ?? new Paces();
    this.#clock = options.clock;
    this.#intervals = { ...DEFAULT_INTERVALS, ...options.intervals };
    this.#logger = options.logger ?? silentLogger;
  }

  /** The result of the last successful list, synchronously. */
  snapshot(): Snapshot<T> {
    return this.#snapshot;
  }

  /** When the list before the snapshot's list began; items that have since disappeared were in that list. */
  get listedBeforeMs(): number {
    return this.#listedBeforeMs;
  }

  /**
   * Age of the list that subscribers see, and whether the last one failed; undefined without readers, or before the first list.
   */
  freshness(nowMs: number): { readonly ageMs: number; readonly isFailing: boolean } | undefined {
    const { listedAtMs } = this.#snapshot;
    if (this.#listeners.size === 0 || listedAtMs === undefined) return undefined;
    return { ageMs: nowMs - listedAtMs, isFailing: this.#failures > 0 };
  }

  /** The reasons for fast lists, for debugging. */
  get expected(): readonly string[] {
    return [...this.#expectations].map((expectation) => expectation.reason);
  }

  /** Calls `listener` after each list that changed something. Returns a function that unsubscribes; without subscribers lists stop. */
  subscribe(listener: (delta: Delta<T>) => void): () => void {
    const entry = { notify: listener };
    this.#listeners.add(entry);
    this.#schedule();
    return () => {
      this.#listeners.delete(entry);
      this.#schedule();
    };
  }

  /**
   * Like `subscribe`, but causes no lists: `listener` receives lists that others request. Returns a function that
   * unsubscribes.
   */
  observePassively(listener: (delta: Delta<T>) => void): () => void {
    const entry = { notify: listener };
    this.#passive.add(entry);
    return () => this.#passive.delete(entry);
  }

  /**
   * Lists frequently, or when the `change` usually appears, until the returned function is called. `reason` describes
   * the expected change. `variety`: see Paces.
   */
  expectChange(reason: string, change?: PacedChange, variety?: string): EndExpectation {
    const nowMs = this.#clock.now();
    const pace = change && this.#paces.of(change, variety);
    const pollAtMs = pace === undefined ? Number.POSITIVE_INFINITY : nowMs + pace.nextPollMs(0);
    const expectation = { reason, sinceMs: nowMs, pace, pollAtMs };
    this.#expectations.add(expectation);
    if (pace === undefined) this.#fastPolls = 0;
    if (this.#failures === 0) this.#pollAtMs = Math.min(this.#pollAtMs, nowMs + this.#pauseMs());
    this.#schedule();
    return (isSeen = false) => {
      if (!this.#expectations.delete(expectation)) return;
      if (isSeen) this.#learn(expectation);
      if (this.#hasUnpacedExpectation() || this.#failures > 0) return;
      this.#pollAtMs = this.#clock.now() + this.#pauseMs();
      this.#schedule();
    };
  }

  /** Whether lists become less frequent while nothing polls faster. */
  get canPollSlower(): boolean {
    const { slowMs, idleMs = slowMs } = this.#intervals;
    return idleMs > slowMs;
  }

  /**
   * Something may have happened that only a list can show: lists every `slowMs` rather than every `idleMs` until the
   * returned function is called. If a list is already overdue, it starts immediately.
   */
  pollFaster(): () => void {
    const entry = {};
    this.#fastPollers.add(entry);
    if (this.#fastPollers.size === 1 && this.#failures === 0) {
      this.#pollAtMs = Math.min(this.#pollAtMs, this.#startedMs + this.#pauseMs());
      this.#schedule();
    }
    return () => {
      this.#fastPollers.delete(entry);
    };
  }

  #learn({ pace, sinceMs }: Expectation): void {
    const { listedAtMs = sinceMs } = this.#snapshot;
    if (listedAtMs > sinceMs) pace?.learn(Math.max(this.#listedBeforeMs - sinceMs, 0), listedAtMs - sinceMs);
  }

  #hasUnpacedExpectation(): boolean {
    return [...this.#expectations].some(({ pace }) => pace === undefined);
  }

  /**
   * Resolves with a list that began after `epochMs`, immediately if there is one. Rejects with the error of
   * a failed list, immediately during the backoff after a failure; with the signal's reason when it aborts.
   */
  refreshAfter(epochMs: number, signal?: AbortSignal): Promise<Snapshot<T>> {
    const sinceMs = Math.max(epochMs, this.#invalidatedAtMs ?? epochMs);
    const { listedAtMs, stale } = this.#snapshot;
    if (listedAtMs !== undefined && listedAtMs > sinceMs) return Promise.resolve(this.#snapshot);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#abort.signal.aborted) return Promise.reject(this.#abort.signal.reason);
    if (stale !== undefined && !this.#isListing && this.#clock.now() < this.#pollAtMs) {
      return Promise.reject(stale.error);
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.delete(waiter);
        this.#schedule();
        reject(signal?.reason);
      };
      const done = () => signal?.removeEventListener('abort', onAbort);
      const waiter: Waiter<T> = {
        sinceMs,
        resolve: (snapshot) => {
          done();
          resolve(snapshot);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
      this.#schedule();
    });
  }

  /** Marks the snapshot as outdated: the next list starts soon if there are subscribers. */
  invalidate(): void {
    this.#invalidatedAtMs = this.#clock.now();
    this.#schedule();
  }

  /** The cause of failing lists has been fixed; ends the backoff now. */
  retryNow(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#pollAtMs = this.#clock.now();
    this.#schedule();
  }

  /** Adopts what another member of the group has listed. */
  onListByOther(startedMs: number, listed: readonly T[]): void {
    if (this.#isListing || startedMs <= (this.#snapshot.listedAtMs ?? Number.NEGATIVE_INFINITY)) return;
    this.#startedMs = startedMs;
    this.#succeeded(startedMs, listed);
  }

  /** Called when no other member of the group is listing. */
  resume(): void {
    this.#schedule();
  }

  /** Stops all lists; waiters are rejected. */
  stop(): void {
    const reason = new Error(`the cache of ${this.name} was stopped`);
    this.#abort.abort(reason);
    this.#listeners.clear();
    this.#passive.clear();
    this.#timer?.cancel();
    this.#leaveGroup();
    this.#settleWaiters((waiter) => waiter.reject(reason));
  }

  #schedule(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#isListing || this.#abort.signal.aborted) return;
    if (this.#listeners.size === 0 && this.#waiters.size === 0) return;
    const delayMs = Math.max(0, this.#dueMs() - this.#clock.now());
    this.#timer = this.#clock.after(delayMs, () => void this.#refresh());
  }

  /** When the next list begins. */
  #dueMs(): number {
    // Waiters can't shorten the backoff after a failure.
    if (this.#failures > 0) return this.#pollAtMs;
    const { listedAtMs = Number.NEGATIVE_INFINITY } = this.#snapshot;
    const invalidatedAtMs = this.#invalidatedAtMs;
    const sinceMs = [...this.#waiters].map((waiter) => waiter.sinceMs);
    if (invalidatedAtMs !== undefined && listedAtMs <= invalidatedAtMs) sinceMs.push(invalidatedAtMs);
    const requestedMs = Math.min(...sinceMs) + 1;
    const pollMs = this.#listeners.size > 0 ? this.#pollAtMs : Number.POSITIVE_INFINITY;
    return Math.max(this.#startedMs + this.#intervals.gapMs, Math.min(pollMs, requestedMs));
  }

  #pauseMs(retryAfterMs?: number): number {
    const state = {
      isChangeExpected: this.#hasUnpacedExpectation(),
      isPolledFast: this.#fastPollers.size > 0,
      fastPolls: this.#fastPolls,
      failures: this.#failures,
      retryAfterMs,
      isBudgetExhausted: this.#options.isBudgetExhausted?.() ?? false,
    };
    const pauseMs = pollDelayMs(state, this.#intervals, this.#options.random());
    if (this.#failures > 0) return pauseMs;
    const pollAtMs = Math.min(...[...this.#expectations].map((each) => each.pollAtMs)) - this.#clock.now();
    return Math.min(pauseMs, Math.max(pollAtMs, state.isBudgetExhausted ? this.#intervals.fastMaxMs : 0));
  }

  async #refresh(): Promise<void> {
    // The end of that list resumes this cache.
    if (this.#group?.begin(this) === false) return;
    const startedMs = this.#clock.now();
    this.#isListing = true;
    this.#startedMs = startedMs;
    // A list with waiters is urgent; periodic ones run in the background.
    const isUrgent = this.#waiters.size > 0 || this.#expectations.size > 0;
    try {
      const group = this.#options.group && (await this.#options.group());
      const items: T[] = [];
      const call: ListCall = { signal: this.#abort.signal, priority: isUrgent ? 'normal' : 'background' };
      for await (const item of this.#options.list(call)) items.push(item);
      this.#succeeded(startedMs, items);
      this.#joinGroup(group);
      this.#group?.share(this, startedMs, items);
    } catch (error) {
      this.#leaveGroup();
      this.#failed(startedMs, error);
    } finally {
      this.#group?.end(this);
      this.#schedule();
    }
  }

  #joinGroup(group: ListGroup<T> | undefined): void {
    if (this.#group !== group) this.#leaveGroup();
    if (this.#abort.signal.aborted) return;
    group?.join(this);
    this.#group = group;
  }

  #leaveGroup(): void {
    this.#group?.leave(this);
    this.#group = undefined;
  }

  #succeeded(startedMs: number, listed: readonly T[]): void {
    this.#isListing = false;
    if (this.#abort.signal.aborted) return;
    const wasStale = this.#snapshot.stale !== undefined;
    const { items, added, changed, removed } = diffItems(this.#snapshot.items, listed);
    this.#listedBeforeMs = this.#snapshot.listedAtMs ?? Number.NEGATIVE_INFINITY;
    this.#snapshot = { items, listedAtMs: startedMs };
    this.#failures = 0;
    this.#schedulePolls(startedMs);
    this.#pollAtMs = this.#clock.now() + this.#pauseMs();
    this.#fastPolls += 1;
    if (wasStale) this.#logger.info({ resource: this.name }, 'listing cloud resources succeeds again');
    if (wasStale || added.length + changed.length + removed.length > 0) {
      this.#notify({ added, changed, removed, isStale: false });
    }
    this.#settleWaiters((waiter) => waiter.resolve(this.#snapshot), startedMs);
  }

  /** A list that began at `startedMs` counts as a poll for all expectations, whoever requested it. */
  #schedulePolls(startedMs: number): void {
    for (const expectation of this.#expectations) {
      const { pace, sinceMs } = expectation;
      if (pace && sinceMs < startedMs) expectation.pollAtMs = sinceMs + pace.nextPollMs(this.#clock.now() - sinceMs);
    }
  }

  #failed(startedMs: number, error: unknown): void {
    this.#isListing = false;
    if (this.#abort.signal.aborted) return;
    const { items, listedAtMs, stale } = this.#snapshot;
    this.#failures += 1;
    this.#pollAtMs = this.#clock.now() + this.#pauseMs(isOpenStackError(error) ? error.retryAfterMs : undefined);
    this.#snapshot = { items, listedAtMs, stale: { sinceMs: stale?.sinceMs ?? startedMs, error } };
    if (stale === undefined) {
      this.#logger.warn({ resource: this.name, err: error }, 'failed to list cloud resources, keeping the last view');
      this.#notify({ added: [], changed: [], removed: [], isStale: true });
    }
    this.#settleWaiters((waiter) => waiter.reject(error));
  }

  #notify(delta: Delta<T>): void {
    // Copied because a listener added by a listener has already seen this change in the snapshot.
    for (const { notify } of [...this.#listeners, ...this.#passive]) {
      try {
        notify(delta);
      } catch (error) {
        this.#logger.error({ resource: this.name, err: error }, 'cache listener failed');
      }
    }
  }

  /** The waiters served by a list that began at `startedMs`; all if undefined. */
  #settleWaiters(settle: (waiter: Waiter<T>) => void, startedMs = Number.POSITIVE_INFINITY): void {
    for (const waiter of this.#waiters) {
      if (startedMs <= waiter.sinceMs) continue;
      this.#waiters.delete(waiter);
      settle(waiter);
    }
  }
}
