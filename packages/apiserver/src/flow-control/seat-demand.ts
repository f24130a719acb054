/** The number of seats that a level could have used over time; borrowing is based on it. */
export class SeatDemand {
  /** Rises immediately and halves in five minutes. */
  smoothed = 0;
  /** The maximum in the last period. */
  highest = 0;
  #seats = 0;
  #peak = 0;
  #sinceMs: number;
  #startMs: number;
  #area = 0;
  #squares = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
    this.#startMs = nowMs;
  }

  set(seats: number, nowMs: number): void {
    if (nowMs > this.#sinceMs) this.#pass(nowMs);
    this.#seats = seats;
    if (seats > this.#peak) this.#peak = seats;
  }

  /** Ends a period of `periods` times the usual length. */
  settle(nowMs: number, periods: number): void {
    this.#pass(nowMs);
    const elapsed = nowMs - this.#startMs;
    const average = elapsed > 0 ? this.#area / elapsed : this.#seats;
    const variance = elapsed > 0 ? this.#squares / elapsed - average * average : 0;
    const envelope = Math.min(this.#peak, average + Math.sqrt(Math.max(0, variance)));
    const kept = SMOOTHING_FACTOR ** periods;
    this.smoothed = Math.max(envelope, kept * this.smoothed + (1 - kept) * envelope);
    this.highest = this.#peak;
    this.#peak = this.#seats;
    this.#startMs = nowMs;
    this.#area = 0;
    this.#squares = 0;
  }

  #pass(nowMs: number): void {
    const elapsed = nowMs - this.#sinceMs;
    this.#area += this.#seats * elapsed;
    this.#squares += this.#seats * this.#seats * elapsed;
    this.#sinceMs = nowMs;
  }
}

/** Decay factor per ten seconds. */
const SMOOTHING_FACTOR = 0.977;
