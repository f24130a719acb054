import { Backoff } from '../api/backoff.ts';
import { Failure } from '../api/failure.ts';
import { pause } from '../api/pause.ts';
import { request } from '../api/request.ts';
import { serverClock } from '../api/server-clock.ts';
import { type AuditEvent, eventKey } from './audit-event.ts';
import { type Filters, listQuery } from './filters.ts';
import { type TrimmedEvent, trimEvent } from './trimmed-event.ts';

/** What has been read of a list of audit events. Each change creates a new object. */
export interface Activity {
  /** Newest first. */
  readonly events: readonly TrimmedEvent[];
  readonly hasOlder: boolean;
  /** The limit has been reached: to see older events, users must narrow the filters. */
  readonly isFull: boolean;
  readonly reading: 'newest' | 'older' | undefined;
  /** When the newest events were read, as Unix time in ms. */
  readonly readAtMs: number | undefined;
  readonly failure: Failure | undefined;
  /** When the request is retried automatically. */
  readonly retryAtMs: number | undefined;
}

export interface ActivityLogOptions {
  readonly path: string;
  readonly filters: Filters;
  readonly list?: (path: string, options: { readonly signal: AbortSignal }) => Promise<EventList>;
  readonly now?: () => number;
  readonly random?: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface EventList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly AuditEvent[];
}

/** Roughly as many as Fairway keeps per namespace. */
const MAX_EVENTS = 2_000;
/**
 * A server scans only part of a long log for each page and may find few events in it. This is the maximum number of
 * pages per user request.
 */
const MAX_PAGES_PER_READ = 5;
const MIN_EVENTS_PER_READ = 25;

const INITIAL_ACTIVITY: Activity = {
  events: [],
  hasOlder: false,
  isFull: false,
  reading: 'newest',
  readAtMs: undefined,
  failure: undefined,
  retryAtMs: undefined,
};

/**
 * A list of audit events as a user reads it: the newest first, older and newer ones on request. Audit events cannot be
 * watched.
 *
 * If the server is unreachable or asks the client to wait, the request is retried, but not before the Retry-After. A
 * forbidden request is not retried.
 */
export class ActivityLog {
  readonly #options: ActivityLogOptions;
  readonly #listeners = new Set<() => void>();
  #activity = INITIAL_ACTIVITY;
  #next: string | undefined;
  #running: AbortController | undefined;

  constructor(options: ActivityLogOptions) {
    this.#options = options;
  }

  readonly get = (): Activity => this.#activity;

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange);
    return () => void this.#listeners.delete(onChange);
  };

  /** Reads the newest events, and keeps those read before unless there is a gap in between. */
  async refresh(): Promise<void> {
    const result = await this.#read('newest', undefined);
    if (result === undefined) return;
    const { events, next } = result;
    const known = new Set(this.#activity.events.map(eventKey));
    const overlaps = next !== undefined && events.some((event) => known.has(eventKey(event)));
    const all = overlaps ? mergeEvents(events, this.#activity.events) : events;
    if (!overlaps) this.#next = next;
    this.#change({ ...this.#eventState(all), readAtMs: this.#now() });
  }

  async loadOlder(): Promise<void> {
    if (!this.#activity.hasOlder || this.#activity.isFull) return;
    const result = await this.#read('older', this.#next);
    if (result === undefined) return;
    this.#next = result.next;
    this.#change(this.#eventState([...this.#activity.events, ...result.events]));
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  /**
   * Reads pages from a token until there are enough events. Returns undefined if another read is in progress or this
   * read failed.
   */
  async #read(
    reading: NonNullable<Activity['reading']>,
    from: string | undefined,
  ): Promise<{ readonly events: readonly TrimmedEvent[]; readonly next: string | undefined } | undefined> {
    if (this.#running !== undefined) return undefined;
    const running = new AbortController();
    this.#running = running;
    this.#change({ reading });
    try {
      const events: TrimmedEvent[] = [];
      let next = from;
      for (let pages = 0; pages < MAX_PAGES_PER_READ; pages++) {
        const { metadata, items = [] } = await this.#page(next, running.signal);
        events.push(...items.map(trimEvent));
        next = metadata?.continue || undefined;
        if (next === undefined || events.length >= MIN_EVENTS_PER_READ) break;
      }
      this.#change({ reading: undefined, failure: undefined, retryAtMs: undefined });
      return { events, next };
    } catch (error) {
      if (running.signal.aborted) return undefined;
      const failure = toFailure(error);
      this.#change({ reading: undefined, failure, retryAtMs: undefined });
      // Events that the user may no longer read must disappear.
      if (reading === 'newest' || failure.code === 401 || failure.code === 403) this.#clear();
      return undefined;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  /** Rejects if retrying is pointless or the read was cancelled. */
  async #page(token: string | undefined, signal: AbortSignal): Promise<EventList> {
    const { path, filters, list = request<EventList>, random } = this.#options;
    const backoff = new Backoff(random);
    for (;;) {
      signal.throwIfAborted();
      try {
        const page = await list(`${path}?${listQuery(filters, token)}`, { signal });
        signal.throwIfAborted();
        return page;
      } catch (error) {
        const failure = toFailure(error);
        if (signal.aborted || !failure.isTransient) throw error;
        const retryAtMs = this.#now() + backoff.nextMs(failure.retryAfterMs);
        this.#change({ failure, retryAtMs });
        await this.#wait(retryAtMs, failure, signal);
      }
    }
  }

  async #wait(untilMs: number, { retryAfterMs }: Failure, signal: AbortSignal): Promise<void> {
    const wait = this.#options.pause ?? pause;
    await wait(untilMs - this.#now(), signal);
    // The pause ends early when the network comes back, but the server's Retry-After still applies.
    if (retryAfterMs === undefined) return;
    while (!signal.aborted && this.#now() < untilMs) {
      await wait(untilMs - this.#now(), signal);
    }
  }

  #eventState(events: readonly TrimmedEvent[]): Partial<Activity> {
    return {
      events: events.slice(0, MAX_EVENTS),
      hasOlder: this.#next !== undefined,
      isFull: events.length >= MAX_EVENTS,
    };
  }

  #clear(): void {
    this.#next = undefined;
    this.#change(this.#eventState([]));
  }

  #now(): number {
    return (this.#options.now ?? serverClock.nowMs)();
  }

  #change(change: Partial<Activity>): void {
    this.#activity = { ...this.#activity, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Puts newer events in front of known ones that follow without a gap. */
function mergeEvents(newer: readonly TrimmedEvent[], known: readonly TrimmedEvent[]): readonly TrimmedEvent[] {
  const keys = new Set(newer.map(eventKey));
  const end = newer.at(-1)?.stageTimestamp ?? '';
  return [...newer, ...known.filter((event) => event.stageTimestamp <= end && !keys.has(eventKey(event)))];
}

function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(0, error instanceof Error ? error.message : String(error));
}
