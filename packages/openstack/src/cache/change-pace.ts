import type { Pace } from './pace.ts';

/** `build`: nothing waits for the exact end; `deletion`: something waits for it. */
export type ChangeKind = 'build' | 'deletion';

/**
 * When to poll, as fractions of the usual time. Builds are also polled early, since most failures happen immediately.
 */
const POLL_SHARES: Readonly<Record<ChangeKind, readonly number[]>> = { build: [0.1, 1.3], deletion: [0.7] };

const MIN_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 10_000;
/** Maximum interval while nothing is known about the cloud; applies during the time that most changes take. */
const INITIAL_MAX_INTERVAL_MS = 2_000;
const INITIAL_PERIOD_MS = 60_000;
/** A change that takes longer is considered stuck and predicts nothing about the next one. */
const MAX_USUAL_MS = 120_000;
/** Growth of the interval between polls after the usual time has passed. */
const BACKOFF_FACTOR = 1.6;
/** Weight of the last change relative to all earlier ones. */
const WEIGHT = 0.3;

/**
 * Polls for changes of one kind when they usually appear. The pace is learned from observed changes: a cloud that takes
 * half a minute is not polled twenty times, and a cloud that takes a tenth of a second does not keep callers waiting.
 */
export class ChangePace implements Pace {
  readonly #shares: readonly number[];
  #usualMs: number | undefined;

  constructor(change: ChangeKind) {
    this.#shares = POLL_SHARES[change];
  }

  learn(unseenMs: number, seenMs: number): void {
    // If lists failed in the meantime, perhaps for hours, nothing can be learned.
    const latestMs = Math.min(seenMs, unseenMs + MAX_INTERVAL_MS);
    const tookMs = Math.min((unseenMs + latestMs) / 2, MAX_USUAL_MS);
    this.#usualMs = this.#usualMs === undefined ? tookMs : this.#usualMs + WEIGHT * (tookMs - this.#usualMs);
  }

  nextPollMs(elapsedMs: number): number {
    if (this.#usualMs === undefined) {
      const maxIntervalMs = elapsedMs < INITIAL_PERIOD_MS ? INITIAL_MAX_INTERVAL_MS : MAX_INTERVAL_MS;
      return elapsedMs + Math.min(Math.max(elapsedMs, MIN_INTERVAL_MS), maxIntervalMs);
    }
    let pollAtMs = 0;
    for (const share of this.#shares) {
      pollAtMs = Math.max(share * this.#usualMs, MIN_INTERVAL_MS);
      if (pollAtMs > elapsedMs) return pollAtMs;
    }
    while (pollAtMs <= elapsedMs) pollAtMs = Math.min(pollAtMs * BACKOFF_FACTOR, pollAtMs + MAX_INTERVAL_MS);
    return pollAtMs;
  }
}
