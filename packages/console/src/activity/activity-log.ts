import { Backoff } from '../api/backoff.ts';
import { Failure } from '../api/failure.ts';
import { pause } from '../api/pause.ts';
import { request } from '../api/request.ts';
import { serverClock } from '../api/server-clock.ts';
import { type AuditEvent, eventKey } from './audit-event.ts';
import { type Filters, listQuery } from './filters.ts';
import { type KeptEvent, keptEvent } from './kept-event.ts';

/** What has been read of a list of audit events. A new one is made for each change. */
export interface Activity {
  /** The newest first. */
  readonly events: readonly KeptEvent[];
  readonly hasOlder: boolean;
  /** More are not kept: whoever looks for older ones narrows what is shown. */
  readonly isFull: boolean;
  readonly reading: 'newest' | 'older' | undefined;
  /** When the newest were read, as Unix time in ms. */
  readonly readAtMs: number | undefined;
  readonly failure: Failure | undefined;
  /** When it is asked again by itself. */
  readonly againAtMs: number | undefined;
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

/** As many as Fairway keeps of a namespace, or thereabouts. */
const MOST_KEPT = 2_000;
/** Servers look through a part of a long log for each page, and may find little in it: so many parts at a press. */
const MOST_PAGES = 5;
const ENOUGH = 25;

const NOTHING: Activity = {
  events: [],
  hasOlder: false,
  isFull: false,
  reading: 'newest',
  readAtMs: undefined,
  failure: undefined,
  againAtMs: undefined,
};

/**
 * A list of audit events as somebody reads it: the newest, older ones when he asks for them, and what has come since when he asks for that. It is not watched, for audit events are not.
 *
 * A server that is away or asks to wait is asked again by itself, not before it wants to be; what may not be read is not asked for again.
 */
export class ActivityLog {
  readonly #options: ActivityLogOptions;
  readonly #listeners = new Set<() => void>();
  #activity = NOTHING;
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

  /** Reads the newest; what was read before stays, where there is no gap to it. */
  async refresh(): Promise<void> {
    const read = await this.#read('newest', undefined);
    if (read === undefined) return;
    const { events, next } = read;
    const known = new Set(this.#activity.events.map(eventKey));
    const joins = next !== undefined && events.some((event) => known.has(eventKey(event)));
    const all = joins ? joined(events, this.#activity.events) : events;
    if (!joins) this.#next = next;
    this.#change({ ...this.#withEvents(all), readAtMs: this.#now() });
  }

  async older(): Promise<void> {
    if (!this.#activity.hasOlder || this.#activity.isFull) return;
    const read = await this.#read('older', this.#next);
    if (read === undefined) return;
    this.#next = read.next;
    this.#change(this.#withEvents([...this.#activity.events, ...read.events]));
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  /** Pages from a token on until there is enough. Undefined if another reading goes on, or it came to nothing. */
  async #read(
    reading: NonNullable<Activity['reading']>,
    from: string | undefined,
  ): Promise<{ readonly events: readonly KeptEvent[]; readonly next: string | undefined } | undefined> {
    if (this.#running !== undefined) return undefined;
    const running = new AbortController();
    this.#running = running;
    this.#change({ reading });
    try {
      const events: KeptEvent[] = [];
      let next = from;
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const { metadata, items = [] } = await this.#page(next, running.signal);
        events.push(...items.map(keptEvent));
        next = metadata?.continue || undefined;
        if (next === undefined || events.length >= ENOUGH) break;
      }
      this.#change({ reading: undefined, failure: undefined, againAtMs: undefined });
      return { events, next };
    } catch (error) {
      if (running.signal.aborted) return undefined;
      const failure = asFailure(error);
      this.#change({ reading: undefined, failure, againAtMs: undefined });
      // What may not be read any more is not shown any more.
      if (reading === 'newest' || failure.code === 401 || failure.code === 403) this.#forget();
      return undefined;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  /** Rejects when asking again does not help, or nobody waits any more. */
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
        const failure = asFailure(error);
        if (signal.aborted || !failure.isPassing) throw error;
        const againAtMs = this.#now() + backoff.nextMs(failure.retryAfterMs);
        this.#change({ failure, againAtMs });
        await this.#wait(againAtMs, failure, signal);
      }
    }
  }

  async #wait(untilMs: number, { retryAfterMs }: Failure, signal: AbortSignal): Promise<void> {
    const wait = this.#options.pause ?? pause;
    await wait(untilMs - this.#now(), signal);
    // A network that comes back ends a pause early: a server that has asked for it does not mean that.
    if (retryAfterMs === undefined) return;
    while (!signal.aborted && this.#now() < untilMs) {
      await wait(untilMs - this.#now(), signal);
    }
  }

  #withEvents(events: readonly KeptEvent[]): Partial<Activity> {
    return {
      events: events.slice(0, MOST_KEPT),
      hasOlder: this.#next !== undefined,
      isFull: events.length >= MOST_KEPT,
    };
  }

  #forget(): void {
    this.#next = undefined;
    this.#change(this.#withEvents([]));
  }

  #now(): number {
    return (this.#options.now ?? serverClock.nowMs)();
  }

  #change(change: Partial<Activity>): void {
    this.#activity = { ...this.#activity, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Newer events before known ones that follow without a gap. */
function joined(newer: readonly KeptEvent[], known: readonly KeptEvent[]): readonly KeptEvent[] {
  const keys = new Set(newer.map(eventKey));
  const end = newer.at(-1)?.stageTimestamp ?? '';
  return [...newer, ...known.filter((event) => event.stageTimestamp <= end && !keys.has(eventKey(event)))];
}

function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(0, error instanceof Error ? error.message : String(error));
}
