import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { foreignEvent } from '@fairway/apiserver/audit/foreign-event';
import { type LinePosition, type LogPlace, scanNewestLines } from '@fairway/apiserver/audit/newest-lines';
import { shortLine } from '@fairway/apiserver/audit/short-line';
import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ApiError } from '@fairway/kube/object/api-error';
import type { EventsSelection } from '../audit-events/events-query.ts';

/** Where the audit events of a cluster are; undefined if this process cannot read them. */
export type FindAuditLog = (clusterUid: string) => Promise<LogPlace | undefined>;

export interface ClusterEventsPage {
  /** The newest first. */
  readonly events: readonly AuditEvent[];
  /** Undefined if there are no more. */
  readonly next: LinePosition | undefined;
}

/** Counts requested lines of clusters' logs that are not events. */
export interface ClusterAuditObserver {
  skipped(lines: number): void;
}

/** Each reads from disk and holds a block in memory. */
const READS_AT_ONCE = 4;
/**
 * Per project, because it may have any number of clusters: a read scans up to 4 MiB, or a line of up to 8, which takes some 90 ms
 * of CPU.
 */
const READS: Rate = { burst: 20, perMinute: 120 };
const PACED_PROJECTS = 10_000;
const MAX_PAGE_CHARS = 1024 * 1024;
/** The log has events in the order in which their requests ended, except for those that ended at almost the same time. */
const DISORDER_MS = 60_000;

/** Reads the logs that clusters' API servers write, with limits that hold for any content. */
export class ClusterAuditReader {
  readonly #find: FindAuditLog;
  readonly #observer: ClusterAuditObserver;
  readonly #clock: Clock;
  readonly #reads = new CallSlots(READS_AT_ONCE);
  readonly #pace = new TokenBuckets(READS, PACED_PROJECTS);

  constructor(find: FindAuditLog, observer: ClusterAuditObserver, clock: Clock) {
    this.#find = find;
    this.#observer = observer;
    this.#clock = clock;
  }

  /**
   * A page from `from` on, or from the newest event. It may have fewer than `limit` events, or none, and still have a next one:
   * each read scans only a part of the log. Undefined if the log is not here. Rejects with 429 if it is read too often.
   */
  async read(
    { uid, namespace }: { readonly uid: string; readonly namespace: string },
    { limit, sinceMs, matches }: EventsSelection,
    from: LinePosition | undefined,
  ): Promise<ClusterEventsPage | undefined> {
    if (!this.#pace.take(namespace, this.#clock.now())) {
      const message = `too many requests for audit events of clusters in namespace ${namespace}: at most two per second are allowed`;
      throw new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds: 1 });
    }
    const place = await this.#find(uid);
    if (place === undefined) return undefined;
    const leave = await this.#reads.enter();
    try {
      return await this.#page(place, { limit, sinceMs, matches }, from);
    } finally {
      leave();
    }
  }

  async #page(
    place: LogPlace,
    { limit, sinceMs, matches }: EventsSelection,
    from: LinePosition | undefined,
  ): Promise<ClusterEventsPage> {
    const events: AuditEvent[] = [];
    const seen = { chars: 0, isPast: false, noEvents: 0 };
    const { next, skipped } = await scanNewestLines(place, from, (written) => {
      const line = shortLine(written);
      const isFull = events.length === limit || (events.length > 0 && seen.chars + line.length > MAX_PAGE_CHARS);
      if (isFull) return false;
      const event = foreignEvent(line);
      if (event === undefined) {
        seen.noEvents++;
        return true;
      }
      const ms = Date.parse(event.stageTimestamp);
      seen.isPast = ms < sinceMs - DISORDER_MS;
      if (seen.isPast) return false;
      if (ms >= sinceMs && matches(event)) {
        events.push(event);
        seen.chars += line.length;
      }
      return true;
    });
    const left = seen.noEvents + skipped;
    if (left > 0) this.#observer.skipped(left);
    return { events, next: seen.isPast ? undefined : next };
  }
}

/** As a `continue` token. */
export function formatLinePosition({ file, end }: LinePosition): string {
  return Buffer.from(`${file}:${end}`).toString('base64url');
}

/** Undefined for '' and for anything that is not such a token. */
export function parseLinePosition(token: string): LinePosition | undefined {
  const text = Buffer.from(token, 'base64url').toString();
  const [, file, end] = /^(\d{1,20}\.\d{1,20}):(\d{1,15})$/.exec(text) ?? [];
  return file === undefined ? undefined : { file, end: Number(end) };
}
