/** Counts failures by key, for waits that grow: what the work queue can't know because the reconcile itself succeeded. */
export class FailureBackoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #failures = new Map<string, { count: number; retryAtMs: number }>();

  constructor(baseMs: number, maxMs: number) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  /** Notes a failure and returns how long to wait, in milliseconds: base × 2^failures, at most the maximum. */
  failed(key: string, nowMs: number): number {
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    const waitMs = Math.min(this.#baseMs * 2 ** (count - 1), this.#maxMs);
    this.#failures.set(key, { count, retryAtMs: nowMs + waitMs });
    return waitMs;
  }

  /** Milliseconds until the next try is due; 0 when it is. */
  waitMs(key: string, nowMs: number): number {
    return Math.max((this.#failures.get(key)?.retryAtMs ?? nowMs) - nowMs, 0);
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }
}
