const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** An attempt that has not reported its result by this time is ignored. */
const ATTEMPT_TIMEOUT_MS = 20_000;

/**
 * Backoff for a shared dependency: after a delay that doubles, one caller retries for all; in the meantime, the
 * others get the last failure.
 */
export class Outage<Failure> {
  #last: { readonly failure: Failure; readonly sinceMs: number; readonly pauseMs: number } | undefined;
  #triedUntilMs = 0;

  /**
   * The failure to return to callers while they must wait. If undefined, the caller makes an attempt and reports its
   * result.
   */
  begin(nowMs: number): { readonly failure: Failure; readonly retryAfterMs: number } | undefined {
    if (this.#last === undefined) return undefined;
    const { failure, sinceMs, pauseMs } = this.#last;
    const retryAfterMs = Math.max(sinceMs + pauseMs, this.#triedUntilMs) - nowMs;
    if (retryAfterMs > 0) return { failure, retryAfterMs };
    this.#triedUntilMs = nowMs + ATTEMPT_TIMEOUT_MS;
    return undefined;
  }

  failed(failure: Failure, nowMs: number): void {
    this.#triedUntilMs = 0;
    const last = this.#last;
    if (last === undefined) this.#last = { failure, sinceMs: nowMs, pauseMs: FIRST_PAUSE_MS };
    // Concurrent calls that fail count as one failure.
    else if (nowMs < last.sinceMs + last.pauseMs) this.#last = { ...last, failure };
    else this.#last = { failure, sinceMs: nowMs, pauseMs: Math.min(last.pauseMs * 2, MAX_PAUSE_MS) };
  }

  ended(): void {
    this.#last = undefined;
    this.#triedUntilMs = 0;
  }
}
