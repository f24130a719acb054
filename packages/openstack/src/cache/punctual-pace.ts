import type { Pace } from './pace.ts';

/** A change is seen so long after its end at most, or after this share of the time that it took. */
const LATE_MS = 3_000;
const LATE_SHARE = 0.05;

/** While nothing is known: the first look, and the shortest pause. */
const FIRST_MS = 1_000;
/** Beside the usual time, for what ends early: it has failed at once, or the cloud has become faster. */
const EARLY_SHARES = [0.1, 0.5];
/** What ends earlier is seen in time anyway. */
const EARLY_MIN_MS = LATE_MS;
/** After the usual time. */
const SHORTEST_PAUSE_MS = 500;
const PAUSE_SHARE = 0.3;
/** How much of the spread around the usual time counts as usual too. */
const USUAL_SPREADS = 1.5;

/** What takes longer hangs, and says nothing of how long the next one takes. */
const MOST_USUAL_MS = 600_000;
/** Lists that failed meanwhile, perhaps for hours, have seen nothing. */
const MOST_UNCERTAIN_MS = 10_000;
/** Weight of the last change against all before it, in the usual time and in its spread. */
const WEIGHT = 0.5;
const SPREAD_WEIGHT = 0.25;

/**
 * For changes whose end somebody waits for, and that take a cloud a second or minutes, such as a load balancer. While nothing is known of the cloud the pauses grow to as much as
 * one may be late; then it is looked when the change has usually shown, and as often as before only around that time.
 */
export class PunctualPace implements Pace {
  #usual: { readonly ms: number; readonly spreadMs: number } | undefined;

  learn(unseenMs: number, seenMs: number): void {
    const latestMs = Math.max(seenMs, unseenMs);
    if (this.#usual === undefined) {
      const endMs = Math.min(latestMs, unseenMs + MOST_UNCERTAIN_MS, MOST_USUAL_MS);
      const beginMs = Math.min(unseenMs, endMs);
      this.#usual = { ms: (beginMs + endMs) / 2, spreadMs: (endMs - beginMs) / 2 };
      return;
    }
    const { ms, spreadMs } = this.#usual;
    // What two looks far apart say of one that took as long as any is that it did.
    const tookMs = Math.min(Math.max(ms, unseenMs), latestMs, MOST_USUAL_MS);
    if (tookMs === ms) return;
    this.#usual = {
      ms: ms + WEIGHT * (tookMs - ms),
      spreadMs: spreadMs + SPREAD_WEIGHT * (Math.abs(tookMs - ms) - spreadMs),
    };
  }

  nextPollMs(elapsedMs: number): number {
    const lateMs = Math.max(LATE_MS, LATE_SHARE * elapsedMs);
    if (this.#usual === undefined) return elapsedMs + Math.min(Math.max(elapsedMs, FIRST_MS), lateMs);
    const usualMs = usualPollMs(this.#usual);
    for (const share of EARLY_SHARES) {
      const earlyMs = share * usualMs;
      if (earlyMs >= EARLY_MIN_MS && earlyMs > elapsedMs) return earlyMs;
    }
    if (usualMs > elapsedMs) return usualMs;
    return elapsedMs + Math.min(Math.max(PAUSE_SHARE * elapsedMs, SHORTEST_PAUSE_MS), lateMs);
  }
}

/** When the change has most probably shown, but no later than whatever ends as early as usual may be seen. */
function usualPollMs({ ms, spreadMs }: { readonly ms: number; readonly spreadMs: number }): number {
  const earliestMs = ms - USUAL_SPREADS * spreadMs;
  const lateMs = Math.max(LATE_MS, LATE_SHARE * ms);
  return Math.max(Math.min(ms + spreadMs, earliestMs + lateMs), SHORTEST_PAUSE_MS);
}
