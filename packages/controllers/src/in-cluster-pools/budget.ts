import type { Clock } from '@fairway/base/clock';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';

/** Each created or changed pool counts, whether accepted or rejected: ten a minute, with a burst of twenty. */
const REQUEST_RATE: Rate = { burst: 20, perMinute: 10 };
/** Writes to one cluster, including status. */
const WRITE_RATE: Rate = { burst: 200, perMinute: 120 };

/** Objects that are read again from either API because the cache is not sufficient. */
const READ_RATE: Rate = { burst: 200, perMinute: 60 };

/** Limits how much work one tenant's cluster can cause Fairway, regardless of what tenants write there. */
export class Budget {
  readonly #requests = new TokenBuckets(REQUEST_RATE, 1);
  readonly #writes = new TokenBuckets(WRITE_RATE, 1);
  readonly #reads = new TokenBuckets(READ_RATE, 1);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  takeRequest(): boolean {
    return this.#requests.tryTake('', this.#clock.now());
  }

  takeRead(): boolean {
    return this.#reads.tryTake('', this.#clock.now());
  }

  takeWrite(): boolean {
    return this.#writes.tryTake('', this.#clock.now());
  }
}

/** When the budget permits the next operation. */
export const BUDGET_PAUSE_MS = 6_000;
