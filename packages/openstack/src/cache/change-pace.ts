import type { Pace } from './pace.ts';

/** `build`: nobody waits for the moment at which it ends; `deletion`: somebody does. */
export type UsualChange = 'build' | 'deletion';

/** When to look, as shares of the usual time: at a build early too, for most that fail do so at once. */
const POLL_SHARES: Readonly<Record<UsualChange, readonly number[]>> = { build: [0.1, 1.3], deletion: [0.7] };

const SHORTEST_MS = 100;
const LONGEST_MS = 10_000;
/** While nothing is known of the cloud, for as long as most changes take at most. */
const LONGEST_AT_FIRST_MS = 2_000;
const AT_FIRST_MS = 60_000;
/** What takes longer hangs, and says nothing of how long the next one takes. */
const MOST_USUAL_MS = 120_000;
/** How much later than the last look the next one is, when the usual time is over. */
const LATER = 1.6;
/** Weight of the last change against all before it. */
const WEIGHT = 0.3;

/**
 * When to look for changes of one kind: when they usually show. Learned from those that were seen, so that a cloud which takes half
 * a minute is not asked twenty times, and one that takes a tenth of a second does not make anybody wait.
 */
export class ChangePace implements Pace {
  readonly #shares: readonly number[];
  #usualMs: number | undefined;

  constructor(change: UsualChange) {
    this.#shares = POLL_SHARES[change];
  }

  learn(unseenMs: number, seenMs: number): void {
    // Lists that failed meanwhile, perhaps for hours, have seen nothing.
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
