import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { type ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import { Allotment, type AllotmentLimits } from '../../server/allotment.ts';
import { peerNetwork } from '../../server/peer-network.ts';

/** Concurrent reviews; further ones get 429 and are not queued. */
export const MAX_QUESTIONS = { total: 64, perHolder: 16 };
/** Unknown tokens per address: a client with an expired token retries it a few times a second. */
export const GUESSES: Rate = { burst: 100, perMinute: 600 };
/** Unknown tokens in total; beyond it, addresses that have guessed must wait, while others keep their share. */
export const ALL_GUESSES: Rate = { burst: 1_000, perMinute: 6_000 };

export interface GuessLimits {
  readonly questions: AllotmentLimits;
  readonly perNetwork: Rate;
  readonly all: Rate;
}

const REVIEW_LIMITS: GuessLimits = { questions: MAX_QUESTIONS, perNetwork: GUESSES, all: ALL_GUESSES };
const MAX_NETWORKS = 10_000;
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits reviews of tokens that were never accepted: each costs the API server a signature check or a look-up, and clients can
 * make up any number. Behind a load balancer that forwards TCP all clients share one address and its limit.
 */
export class TokenGuesses {
  readonly #limits: GuessLimits;
  readonly #questions: Allotment;
  readonly #perNetwork: TokenBuckets;
  readonly #all: TokenBuckets;

  constructor(limits: GuessLimits = REVIEW_LIMITS) {
    this.#limits = limits;
    this.#questions = new Allotment(limits.questions);
    this.#perNetwork = new TokenBuckets(limits.perNetwork, MAX_NETWORKS);
    this.#all = new TokenBuckets(limits.all, 1);
  }

  /** Acquires a slot for a review from an address; the returned function releases it and takes whether the token was a guess. Throws 429. */
  begin(address: string, nowMs: number): (wasGuess: boolean) => void {
    const { questions, perNetwork, all } = this.#limits;
    const network = peerNetwork(address);
    const left = this.#perNetwork.left(network, nowMs);
    if (left < 1) {
      throw refusal(`${perNetwork.perMinute} tokens a minute that nobody knows may come from ${network}`);
    }
    if (this.#all.left('', nowMs) < 1 && left < perNetwork.burst) {
      throw refusal(`${all.perMinute} tokens a minute that nobody knows may come from all clients together`);
    }
    const obstacle = this.#questions.obstacle(network);
    if (obstacle !== undefined) {
      const whose = obstacle === 'total' ? 'all clients together' : network;
      throw refusal(`${questions[obstacle]} new tokens of ${whose} may be looked at at a time`);
    }
    this.#questions.take(network);
    return (wasGuess) => {
      this.#questions.give(network);
      if (!wasGuess) return;
      this.#perNetwork.take(network, nowMs);
      this.#all.take('', nowMs);
    };
  }
}

function refusal(message: string): ApiError {
  return tooManyRequests(`Too many requests, please try again later: ${message}`, RETRY_AFTER_SECONDS);
}
