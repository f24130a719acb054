import type { Clock } from '@fairway/base/clock';

/** Ample for ordinary mistakes, but low enough that a flood of refusals can't displace everything else in the log. */
const BURST = 500;
const PER_SECOND = 10;
const MAX_CALLERS = 1_000;

interface Bucket {
  left: number;
  atMs: number;
}

/**
 * Limits how many refusals are logged per caller: a burst of 500, then 10 a second. All unauthenticated clients count
 * as one caller.
 */
export class RefusalBudget {
  readonly #clock: Clock;
  /** Least recently seen first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether another rejection of `caller` is within the budget. If so, it is deducted. */
  spend(caller: string): boolean {
    const nowMs = this.#clock.now();
    const known = this.#buckets.get(caller);
    const elapsedMs = known === undefined ? 0 : Math.max(nowMs - known.atMs, 0);
    const left = known === undefined ? BURST : Math.min(known.left + (elapsedMs / 1000) * PER_SECOND, BURST);
    const isWithinBudget = left >= 1;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: isWithinBudget ? left - 1 : left, atMs: nowMs });
    if (this.#buckets.size > MAX_CALLERS) {
      const [oldest = ''] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    return isWithinBudget;
  }
}
