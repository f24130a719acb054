import type { Pace } from './pace.ts';

/** A change is seen at most this long after its end, or after this share of the time that it took. */
const LATE_MS = 3_000;
const LATE_SHARE = 0.05;

/** While nothing is known: the first poll, and the shortest pause. */
const FIRST_MS = 1_000;
/** Polls before the usual time, for changes that end early: they failed at once, or the cloud has become faster. */
const EARLY_SHARES = [0.1, 0.5];
/** Changes that end earlier are seen in time anyway. */
const EARLY_MIN_MS = LATE_MS;
/** After the usual time. */
const SHORTEST_PAUSE_MS = 500;
const PAUSE_SHARE = 0.3;
/** How many times the spread around the usual time also counts as usual. */
const USUAL_SPREADS = 1.5;

/** A change that takes longer hangs, and says nothing about the next one. */
const MOST_USUAL_MS = 600_000;
/** Lists that failed meanwhile, perhaps for hours, show nothing. */
const MOST_UNCERTAIN_MS = 10_000;
/** Weight of the last change relative to all earlier ones, in the usual time and in its spread. */
const WEIGHT = 0.5;
const SPREAD_WEIGHT = 0.25;

/**
 * For changes whose end something waits for, and that take a cloud a second or minutes, such as those of a load balancer. While
 * nothing is known of the cloud, pauses grow up to the allowed delay. Then polls come when the change has usually shown, and only
 * around that time as often as before.
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
    // If two polls far apart are compatible with the usual time, assume that the change took the usual time.
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

/** When the change has most probably shown, but no later than the allowed delay after the earliest usual end. */
function usualPollMs({ ms, spreadMs }: { readonly ms: number; readonly spreadMs: number }): number {
  const earliestMs = ms - USUAL_SPREADS * spreadMs;
  const lateMs = Math.max(LATE_MS, LATE_SHARE * ms);
  return Math.max(Math.min(ms + spreadMs, earliestMs + lateMs), SHORTEST_PAUSE_MS);
}
