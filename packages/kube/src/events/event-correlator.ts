import { RecentMap } from '@fairway/base/recent-map';

/** One occurrence of an event on an object. */
export interface Occurrence {
  /** Identifies the object: its uid, or kind and key if it has none. */
  readonly object: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** An event that stands for one or more occurrences. */
export interface CorrelatedEvent {
  readonly key: string;
  /** Differs from the occurrence's message if similar messages are combined. */
  readonly message: string;
  /** Number of occurrences so far, including this one. */
  readonly count: number;
  readonly firstMs: number;
  /** Name of the existing Event to increment; undefined for the first occurrence. */
  readonly name: string | undefined;
}

interface Bucket {
  tokens: number;
  updatedMs: number;
}

/** client-go's numbers (tools/record/events_cache.go). */
const MAX_KEYS = 4096;
const SIMILAR_LIMIT = 10;
const SIMILAR_WINDOW_MS = 10 * 60_000;
const BURST = 25;
const REFILL_MS = 5 * 60_000;

/**
 * Decides which occurrences create an Event, which increment one and which are dropped, like client-go's
 * EventCorrelator. Equal occurrences are counted. Different messages for one object and reason are combined from the
 * tenth within 10 min. An object may have a burst of 25 events and then one every 5 min.
 */
export class EventCorrelator {
  readonly #similar = new RecentMap<{ readonly messages: Set<string>; lastMs: number }>(MAX_KEYS);
  readonly #recorded = new RecentMap<{ readonly count: number; readonly firstMs: number; readonly name: string }>(
    MAX_KEYS,
  );
  readonly #buckets = new RecentMap<Bucket>(MAX_KEYS);

  /** Undefined when the object is rate-limited. */
  correlate(occurrence: Occurrence, nowMs: number): CorrelatedEvent | undefined {
    const { object, type, reason, message } = occurrence;
    const similarKey = [object, type, reason].join('\0');
    const isCombined = this.#countSimilar(similarKey, message, nowMs) >= SIMILAR_LIMIT;
    if (!this.#takeToken(object, nowMs)) return undefined;
    const key = isCombined ? similarKey : `${similarKey}\0${message}`;
    const previous = this.#recorded.get(key);
    return {
      key,
      message: isCombined ? `(combined from similar events): ${message}` : message,
      count: (previous?.count ?? 0) + 1,
      firstMs: previous?.firstMs ?? nowMs,
      name: previous?.name,
    };
  }

  /** Records the name of the Event written for `event`. */
  recorded({ key, count, firstMs }: CorrelatedEvent, name: string): void {
    this.#recorded.set(key, { count, firstMs, name });
  }

  #countSimilar(key: string, message: string, nowMs: number): number {
    const known = this.#similar.get(key);
    if (!known || nowMs - known.lastMs > SIMILAR_WINDOW_MS) {
      this.#similar.set(key, { messages: new Set([message]), lastMs: nowMs });
      return 1;
    }
    known.lastMs = nowMs;
    if (known.messages.size < SIMILAR_LIMIT) known.messages.add(message);
    return known.messages.has(message) && known.messages.size < SIMILAR_LIMIT ? 1 : SIMILAR_LIMIT;
  }

  #takeToken(object: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(object) ?? { tokens: BURST, updatedMs: nowMs };
    const tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.updatedMs) / REFILL_MS);
    const isAllowed = tokens >= 1;
    this.#buckets.set(object, { tokens: isAllowed ? tokens - 1 : tokens, updatedMs: nowMs });
    return isAllowed;
  }
}
