import type { Clock } from '@fairway/base/clock';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';

/** A pool that is made or changed counts for one, whether it is taken or refused: ten a minute, and twenty at once. */
const REQUESTS: Rate = { burst: 20, perMinute: 10 };
/** Writes to one cluster, status included. */
const WRITES: Rate = { burst: 200, perMinute: 120 };

/** Objects that are looked at again, here or there, since what is cached of them is not enough. */
const LOOKS: Rate = { burst: 200, perMinute: 60 };

/** How much one tenant's cluster may have Fairway do, whatever is written there. */
export class Budget {
  readonly #requests = new TokenBuckets(REQUESTS, 1);
  readonly #writes = new TokenBuckets(WRITES, 1);
  readonly #looks = new TokenBuckets(LOOKS, 1);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  takeRequest(): boolean {
    return this.#requests.take('', this.#clock.now());
  }

  takeLook(): boolean {
    return this.#looks.take('', this.#clock.now());
  }

  takeWrite(): boolean {
    return this.#writes.take('', this.#clock.now());
  }
}

/** When there is something again to be taken. */
export const BUDGET_PAUSE_MS = 6_000;
