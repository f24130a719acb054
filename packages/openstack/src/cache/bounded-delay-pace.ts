import type { Pace } from './pace.ts';

/** A change is detected at most this long after its end, or after this fraction of the time that it took. */
const MAX_DELAY_MS = 3_000;
const MAX_DELAY_RATIO = 0.05;

/** The first poll and the shortest pause while nothing is known. */
const FIRST_POLL_MS = 1_000;
/**
 * Polls before the usual time, for changes that end early because they failed immediately or the cloud has become
 * faster.
 */
const EARLY_SHARES = [0.1, 0.5];
/** Changes that end earlier are detected in time without an early poll. */
const EARLY_MIN_MS = MAX_DELAY_MS;
/** Pauses after the usual time. */
const MIN_PAUSE_MS = 500;
const PAUSE_SHARE = 0.3;
/** Multiple of the spread around the usual time that still counts as usual. */
const USUAL_SPREADS = 1.5;

/** A change that takes longer is considered stuck and predicts nothing about the next one. */
const MAX_USUAL_MS = 600_000;
/** A longer gap between polls, such as hours of failed lists, is not used for learning. */
const MAX_UNCERTAINTY_MS = 10_000;
/** Weight of the last change relative to all earlier ones, in the usual time and in its spread. */
const WEIGHT = 0.5;
const SPREAD_WEIGHT = 0.25;

/**
 * For changes that take a cloud seconds or minutes while something waits for them, such as those of a load balancer.
 * While nothing is known about the cloud, pauses grow up to the allowed delay. Afterwards it polls when the change
 * usually shows, and frequently only around that time.
 */
export class BoundedDelayPace implements Pace {
  #usual: { readonly ms: number; readonly spreadMs: number } | undefined;

  learn(unseenMs: number, seenMs: number): void {
    const latestMs = Math.max(seenMs, unseenMs);
    if (this.#usual === undefined) {
      const endMs = Math.min(latestMs, unseenMs + MAX_UNCERTAINTY_MS, MAX_USUAL_MS);
      const beginMs = Math.min(unseenMs, endMs);
      this.#usual = { ms: (beginMs + endMs) / 2, spreadMs: (endMs - beginMs) / 2 };
      return;
    }
    const { ms, spreadMs } = this.#usual;
    // If two polls far apart are compatible with the usual time, assume that the change took the usual time.
    const tookMs = Math.min(Math.max(ms, unseenMs), latestMs, MAX_USUAL_MS);
    if (tookMs === ms) return;
    this.#usual = {
      ms: ms + WEIGHT * (tookMs - ms),
      spreadMs: spreadMs + SPREAD_WEIGHT * (Math.abs(tookMs - ms) - spreadMs),
    };
  }

  nextPollMs(elapsedMs: number): number {
    const maxDelayMs = Math.max(MAX_DELAY_MS, MAX_DELAY_RATIO * elapsedMs);
    if (this.#usual === undefined) return elapsedMs + Math.min(Math.max(elapsedMs, FIRST_POLL_MS), maxDelayMs);
    const usualMs = usualPollMs(this.#usual);
    for (const share of EARLY_SHARES) {
      const earlyMs = share * usualMs;
      if (earlyMs >= EARLY_MIN_MS && earlyMs > elapsedMs) return earlyMs;
    }
    if (usualMs > elapsedMs) return usualMs;
    return elapsedMs + Math.min(Math.max(PAUSE_SHARE * elapsedMs, MIN_PAUSE_MS), maxDelayMs);
  }
}

/** When the change has most likely become visible, but no later than the allowed delay after the earliest usual end. */
function usualPollMs({ ms, spreadMs }: { readonly ms: number; readonly spreadMs: number }): number {
  const earliestMs = ms - USUAL_SPREADS * spreadMs;
  const maxDelayMs = Math.max(MAX_DELAY_MS, MAX_DELAY_RATIO * ms);
  return Math.max(Math.min(ms + spreadMs, earliestMs + maxDelayMs), MIN_PAUSE_MS);
}
