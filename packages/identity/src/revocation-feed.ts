import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { isOpenStackError, type OpenStackErrorKind } from '@fairway/openstack/http/openstack-error';
import type { Identity } from '@fairway/openstack/identity/identity';
import type { RevocationEvent } from '@fairway/openstack/types/identity';

/** Interval between reads of events; one read covers all cached tokens. */
const PERIOD_MS = 15_000;
/** Keystone may be configured without events. Occasionally this is checked again, because an upgrade may change it. */
const PERIOD_WITHOUT_EVENTS_MS = 10 * 60_000;
/**
 * Overlap of event reads: clocks differ, and Keystone may have responded to a validation before an event, while the
 * response arrives after it.
 */
const OVERLAP_MS = 120_000;
/** If no events have been read for this long, they are not relied on. */
const MAX_SILENCE_MS = 60_000;

/** Status codes from a Keystone that stores no events, or does not show them to Fairway's user. */
const NOT_SERVED_KINDS: ReadonlySet<OpenStackErrorKind> = new Set(['notFound', 'forbidden', 'badRequest']);

export interface RevocationFeedOptions {
  readonly identity: Pick<Identity, 'revocationEvents'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Handles all events of the last minutes. Returns whether events are still needed. */
  readonly onEvents: (events: readonly RevocationEvent[]) => boolean;
}

/** Reads revocation events from Keystone while there are tokens that they may affect. */
export class RevocationFeed {
  readonly #options: RevocationFeedOptions;
  #timer: Timer | undefined;
  #isPolling = false;
  #isClosed = false;
  #isServed = true;
  #lastMs = 0;

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
  }

  /** Starts reading if not already running. */
  follow(): void {
    if (this.#timer !== undefined || this.#isPolling || this.#isClosed) return;
    if (this.#isServed) this.#lastMs = this.#options.clock.now();
    this.#schedule();
  }

  /** Whether a revocation up to `nowMs` would have been observed, provided that Keystone is available. */
  isReliableAt(nowMs: number): boolean {
    return this.#isServed && nowMs - this.#lastMs < MAX_SILENCE_MS;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    const periodMs = this.#isServed ? PERIOD_MS : PERIOD_WITHOUT_EVENTS_MS;
    this.#timer = this.#options.clock.after(periodMs, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    this.#isPolling = true;
    const { identity, clock, onEvents } = this.#options;
    const nowMs = clock.now();
    let hasMore = true;
    try {
      const events = await identity.revocationEvents(nowMs - OVERLAP_MS - MAX_SILENCE_MS, { priority: 'background' });
      hasMore = onEvents(events);
      this.#isServed = true;
      this.#lastMs = nowMs;
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isPolling = false;
    }
    if (hasMore && !this.#isClosed) this.#schedule();
  }

  #failed(error: unknown): void {
    const { log } = this.#options;
    const fields = isOpenStackError(error) ? error.fields : { error };
    if (!isOpenStackError(error) || !(NOT_SERVED_KINDS.has(error.kind) || error.status === 501)) {
      log.debug(fields, 'could not read revocation events from Keystone');
      return;
    }
    if (this.#isServed) {
      log.warn(fields, 'Keystone provides no revocation events: each token is validated again every minute');
    }
    this.#isServed = false;
  }
}
