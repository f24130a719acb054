export interface PollIntervals {
  /** The first pause while something is expected to change; doubles up to `fastMaxMs`. */
  readonly fastMinMs: number;
  readonly fastMaxMs: number;
  /** While nothing is expected; a tenth of it is jitter, so that caches do not march in step. */
  readonly slowMs: number;
  /** Never less between the starts of two lists, however many wait. */
  readonly gapMs: number;
  /** The longest pause after failures, unless the service asks for more. */
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
  /** Fast lists since something was first expected. */
  readonly fastPolls: number;
  /** Failed lists since the last that succeeded. */
  readonly failures: number;
  readonly retryAfterMs: number | undefined;
  /** Fairway's calls to the cloud queue up already. */
  readonly isBudgetShort: boolean;
}

/** Milliseconds between the end of a list and the next that nobody asks for. `random` is uniform in [0, 1). */
export function pollDelayMs(state: PollState, intervals: PollIntervals, random: number): number {
  if (state.failures > 0) {
    const capMs = Math.min(intervals.failureMaxMs, FAILURE_BASE_MS * 2 ** (state.failures - 1));
    return (state.retryAfterMs ?? 0) + capMs / 2 + (random * capMs) / 2;
  }
  if (!state.isChangeExpected) return intervals.slowMs * (0.95 + 0.1 * random);
  if (state.isBudgetShort) return intervals.fastMaxMs;
  return Math.min(intervals.fastMaxMs, intervals.fastMinMs * 2 ** state.fastPolls);
}
