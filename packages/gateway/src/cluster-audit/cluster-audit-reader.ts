import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { foreignEvent } from '@fairway/apiserver/audit/foreign-event';
import { type LinePosition, type LogLocation, scanNewestLines } from '@fairway/apiserver/audit/newest-lines';
import { shortenLine } from '@fairway/apiserver/audit/short-line';
import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ApiError } from '@fairway/kube/object/api-error';
import type { EventsSelection } from '../audit-events/events-query.ts';

/** Finds the audit log of a cluster; undefined if this process cannot read it. */
export type FindAuditLog = (clusterUid: string) => Promise<LogLocation | undefined>;

export interface ClusterEventsPage {
  /** Newest first. */
  readonly events: readonly AuditEvent[];
  /** Undefined on the last page. */
  readonly next: LinePosition | undefined;
}

/** Counts requested lines in clusters' logs that are not events. */
export interface ClusterAuditObserver {
  onSkipped(lines: number): void;
}

/** Each read uses the disk and holds a block in memory. */
const MAX_CONCURRENT_READS = 4;
/**
 * Per project, because a project may have any number of clusters: a read scans up to 4 MiB, or a line of up to 8 MiB,
 * which takes about 90 ms of CPU time.
 */
const READ_RATE: Rate = { burst: 20, perMinute: 120 };
const MAX_RATED_PROJECTS = 10_000;
const MAX_PAGE_CHARS = 1024 * 1024;
/**
 * The log contains events in the order in which their requests ended, except for those that ended at almost the same
 * time.
 */
const MAX_DISORDER_MS = 60_000;

/** Reads the logs that clusters' API servers write, with limits that apply to any content. */
export class ClusterAuditReader {
  readonly #find: FindAuditLog;
  readonly #observer: ClusterAuditObserver;
  readonly #clock: Clock;
  readonly #readSlots = new CallSlots(MAX_CONCURRENT_READS);
  readonly #rateLimit = new TokenBuckets(READ_RATE, MAX_RATED_PROJECTS);

  constructor(find: FindAuditLog, observer: ClusterAuditObserver, clock: Clock) {
    this.#find = find;
    this.#observer = observer;
    this.#clock = clock;
  }

  /**
   * A page starting at `from`, or at the newest event. It may have fewer than `limit` events, or none, and still have a
   * next page: each read scans only a part of the log. Undefined if this process cannot read the log. Rejects with 429
   * if the log is read too often.
   */
  async read(
    { uid, namespace }: { readonly uid: string; readonly namespace: string },
    { limit, sinceMs, matches }: EventsSelection,
    from: LinePosition | undefined,
  ): Promise<ClusterEventsPage | undefined> {
    if (!this.#rateLimit.tryTake(namespace, this.#clock.now())) {
      const message = `too many requests for audit events of clusters in namespace ${namespace}: at most two per second are allowed`;
      throw new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds: 1 });
    }
    const place = await this.#find(uid);
    if (place === undefined) return undefined;
    const leave = await this.#readSlots.enter();
    try {
      return await this.#page(place, { limit, sinceMs, matches }, from);
    } finally {
      leave();
    }
  }

  async #page(
    place: LogLocation,
    { limit, sinceMs, matches }: EventsSelection,
    from: LinePosition | undefined,
  ): Promise<ClusterEventsPage> {
    const events: AuditEvent[] = [];
    const progress = { chars: 0, isPast: false, noEvents: 0 };
    const { next, skipped } = await scanNewestLines(place, from, (rawLine) => {
      const line = shortenLine(rawLine);
      const isFull = events.length === limit || (events.length > 0 && progress.chars + line.length > MAX_PAGE_CHARS);
      if (isFull) return false;
      const event = foreignEvent(line);
      if (event === undefined) {
        progress.noEvents++;
        return true;
      }
      const ms = Date.parse(event.stageTimestamp);
      progress.isPast = ms < sinceMs - MAX_DISORDER_MS;
      if (progress.isPast) return false;
      if (ms >= sinceMs && matches(event)) {
        events.push(event);
        progress.chars += line.length;
      }
      return true;
    });
    const unparsed = progress.noEvents + skipped;
    if (unparsed > 0) this.#observer.onSkipped(unparsed);
    return { events, next: progress.isPast ? undefined : next };
  }
}

/** Formats a `continue` token. */
export function formatLinePosition({ file, end }: LinePosition): string {
  return Buffer.from(`${file}:${end}`).toString('base64url');
}

/** Undefined for '' and for any other invalid token. */
export function parseLinePosition(token: string): LinePosition | undefined {
  const text = Buffer.from(token, 'base64url').toString();
  const [, file, end] = /^(\d{1,20}\.\d{1,20}):(\d{1,15})$/.exec(text) ?? [];
  return file === undefined ? undefined : { file, end: Number(end) };
}
