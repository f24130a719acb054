export interface PollIntervals {
  /** The initial interval while a change is expected; doubles up to `fastMaxMs`. */
  readonly fastMinMs: number;
  readonly fastMaxMs: number;
  /** The interval while no change is expected; jittered by a tenth, so caches don't synchronize. */
  readonly slowMs: number;
  /** The interval if no subscriber polls faster either; `slowMs` by default. */
  readonly idleMs?: number;
  /** Minimum time between the starts of two lists, for any number of callers. */
  readonly gapMs: number;
  /** Maximum backoff after failures, unless Retry-After is longer. */
  readonly failureMaxMs: number;
}

export const DEFAULT_INTERVALS: PollIntervals = {
  fastMinMs: 100,
  fastMaxMs: 2_000,
  slowMs: 60_000,
  gapMs: 25,
  failureMaxMs: 60_000,
};

const FAILURE_BASE_MS = 500;

export interface PollState {
  readonly isChangeExpected: boolean;
  /** Whether something may happen that only polling would detect. */
  readonly isPolledFast: boolean;
  /** Fast lists since the first expectation. */
  readonly fastPolls: number;
  /** Consecutive failed lists. */
  readonly failures: number;
  readonly retryAfterMs: number | undefined;
  /** Whether Fairway's calls to the cloud are queued. */
  readonly isBudgetExhausted: boolean;
}

/** Milliseconds between the end of a list and the next periodic one. `random` is uniform in [0, 1). */
export function pollDelayMs(state: PollState, intervals: PollIntervals, random: number): number {
  if (state.failures > 0) {
    const capMs = Math.min(intervals.failureMaxMs, FAILURE_BASE_MS * 2 ** (state.failures - 1));
    return (state.retryAfterMs ?? 0) + capMs / 2 + (random * capMs) / 2;
  }
  if (!state.isChangeExpected) {
    const { slowMs, idleMs = slowMs } = intervals;
    return (state.isPolledFast ? slowMs : idleMs) * (0.95 + 0.1 * random);
  }
  if (state.isBudgetExhausted) return intervals.fastMaxMs;
  return Math.min(intervals.fastMaxMs, intervals.fastMinMs * 2 ** state.fastPolls);
}
