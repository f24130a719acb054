import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { type ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import { Allotment, type AllotmentLimits } from '../../server/allotment.ts';
import { peerNetwork } from '../../server/peer-network.ts';

/** Concurrent reviews; excess ones get 429 and are not queued. */
export const MAX_CONCURRENT_REVIEWS = { total: 64, perHolder: 16 };
/** Unknown tokens per address: a client with an expired token may retry a few times a second. */
export const GUESS_RATE: Rate = { burst: 100, perMinute: 600 };
/**
 * Unknown tokens in total. Beyond this rate, addresses that have already sent unknown tokens must wait, while other
 * addresses retain their share.
 */
export const TOTAL_GUESS_RATE: Rate = { burst: 1_000, perMinute: 6_000 };

export interface GuessLimits {
  readonly concurrentReviews: AllotmentLimits;
  readonly perNetwork: Rate;
  readonly total: Rate;
}

const REVIEW_LIMITS: GuessLimits = {
  concurrentReviews: MAX_CONCURRENT_REVIEWS,
  perNetwork: GUESS_RATE,
  total: TOTAL_GUESS_RATE,
};
const MAX_NETWORKS = 10_000;
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits reviews of tokens that were never accepted: each costs the API server a signature check or a lookup, and
 * clients can make up any number of tokens. Behind a load balancer that forwards TCP, all clients share one address and
 * its limit.
 */
export class TokenGuesses {
  readonly #limits: GuessLimits;
  readonly #concurrentReviews: Allotment;
  readonly #perNetwork: TokenBuckets;
  readonly #totalRate: TokenBuckets;

  constructor(limits: GuessLimits = REVIEW_LIMITS) {
    this.#limits = limits;
    this.#concurrentReviews = new Allotment(limits.concurrentReviews);
    this.#perNetwork = new TokenBuckets(limits.perNetwork, MAX_NETWORKS);
    this.#totalRate = new TokenBuckets(limits.total, 1);
  }

  /**
   * Acquires a slot for reviewing a token sent from an address. The returned function releases the slot; its argument
   * says whether the token was a guess. Throws 429.
   */
  begin(address: string, nowMs: number): (wasGuess: boolean) => void {
    const { concurrentReviews, perNetwork, total } = this.#limits;
    const network = peerNetwork(address);
    const left = this.#perNetwork.left(network, nowMs);
    if (left < 1) {
      throw refusal(`${perNetwork.perMinute} unknown tokens a minute are allowed from ${network}`);
    }
    if (this.#totalRate.left('', nowMs) < 1 && left < perNetwork.burst) {
      throw refusal(`${total.perMinute} unknown tokens a minute are allowed from all clients together`);
    }
    const exceededLimit = this.#concurrentReviews.exceededLimit(network);
    if (exceededLimit !== undefined) {
      const holderName = exceededLimit === 'total' ? 'all clients together' : network;
      throw refusal(`${concurrentReviews[exceededLimit]} new tokens of ${holderName} can be reviewed at a time`);
    }
    this.#concurrentReviews.take(network);
    return (wasGuess) => {
      this.#concurrentReviews.release(network);
      if (!wasGuess) return;
      this.#perNetwork.tryTake(network, nowMs);
      this.#totalRate.tryTake('', nowMs);
    };
  }
}

function refusal(message: string): ApiError {
  return tooManyRequests(`Too many requests, please try again later: ${message}`, RETRY_AFTER_SECONDS);
}
