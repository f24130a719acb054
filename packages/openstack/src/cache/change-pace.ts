import type { Pace } from './pace.ts';

/** `build`: nothing waits for the exact end; `deletion`: something does. */
export type UsualChange = 'build' | 'deletion';

/** When to poll, as shares of the usual time; builds are also polled early, since most that fail do so at once. */
const POLL_SHARES: Readonly<Record<UsualChange, readonly number[]>> = { build: [0.1, 1.3], deletion: [0.7] };

const SHORTEST_MS = 100;
const LONGEST_MS = 10_000;
/** While nothing is known of the cloud, for the longest that most changes take. */
const LONGEST_AT_FIRST_MS = 2_000;
const AT_FIRST_MS = 60_000;
/** A change that takes longer hangs, and says nothing about the next one. */
const MOST_USUAL_MS = 120_000;
/** Growth of the interval between polls after the usual time has passed. */
const LATER = 1.6;
/** Weight of the last change relative to all earlier ones. */
const WEIGHT = 0.3;

/**
 * When to poll for changes of one kind: when they usually show. It learns from observed changes, so that a cloud that takes half
 * a minute is not polled twenty times, and one that takes a tenth of a second keeps no caller waiting.
 */
export class ChangePace implements Pace {
  readonly #shares: readonly number[];
  #usualMs: number | undefined;

  constructor(change: UsualChange) {
    this.#shares = POLL_SHARES[change];
  }

  learn(unseenMs: number, seenMs: number): void {
    // Lists that failed meanwhile, perhaps for hours, show nothing.
    const latestMs = Math.min(seenMs, unseenMs + LONGEST_MS);
    const tookMs = Math.min((unseenMs + latestMs) / 2, MOST_USUAL_MS);
    this.#usualMs = this.#usualMs === undefined ? tookMs : this.#usualMs + WEIGHT * (tookMs - this.#usualMs);
  }

  nextPollMs(elapsedMs: number): number {
    if (this.#usualMs === undefined) {
      const longestMs = elapsedMs < AT_FIRST_MS ? LONGEST_AT_FIRST_MS : LONGEST_MS;
      return elapsedMs + Math.min(Math.max(elapsedMs, SHORTEST_MS), longestMs);
    }
    let pollAtMs = 0;
    for (const share of this.#shares) {
      pollAtMs = Math.max(share * this.#usualMs, SHORTEST_MS);
      if (pollAtMs > elapsedMs) return pollAtMs;
    }
    while (pollAtMs <= elapsedMs) pollAtMs = Math.min(pollAtMs * LATER, pollAtMs + LONGEST_MS);
    return pollAtMs;
  }
}
