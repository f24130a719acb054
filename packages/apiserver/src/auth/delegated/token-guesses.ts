import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { type ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import { Allotment } from '../../server/allotment.ts';
import { peerNetwork } from '../../server/peer-network.ts';

/** Questions at a time; what comes beyond is answered 429 and not kept. */
export const MAX_QUESTIONS = { total: 64, perHolder: 16 };
/** Of one address, tokens that nobody knows: a client whose token has ended tries it a few times a second. */
export const GUESSES: Rate = { burst: 100, perMinute: 600 };
/** Of all together; beyond it, whoever has guessed already waits, and the others still have theirs. */
export const ALL_GUESSES: Rate = { burst: 1_000, perMinute: 6_000 };

const MAX_NETWORKS = 10_000;
const RETRY_AFTER_SECONDS = 1;

/**
 * How many tokens that nobody has believed yet may be asked about: each costs the API server a signature or a look-up, and strangers can
 * make up any number. Behind a load balancer that forwards TCP all clients have one address, and share what it has.
 */
export class TokenGuesses {
  readonly #questions = new Allotment(MAX_QUESTIONS);
  readonly #perNetwork = new TokenBuckets(GUESSES, MAX_NETWORKS);
  readonly #all = new TokenBuckets(ALL_GUESSES, 1);

  /** Takes a place for a question from an address, and gives what ends it, to be told whether the token was a guess. Throws 429. */
  begin(address: string, nowMs: number): (wasGuess: boolean) => void {
    const network = peerNetwork(address);
    const left = this.#perNetwork.left(network, nowMs);
    if (left < 1) {
      throw refusal(`${GUESSES.perMinute} tokens a minute that nobody knows may come from ${network}`);
    }
    if (this.#all.left('', nowMs) < 1 && left < GUESSES.burst) {
      throw refusal(`${ALL_GUESSES.perMinute} tokens a minute that nobody knows may come from all clients together`);
    }
    const obstacle = this.#questions.obstacle(network);
    if (obstacle !== undefined) {
      const whose = obstacle === 'total' ? 'all clients together' : network;
      throw refusal(`${MAX_QUESTIONS[obstacle]} new tokens of ${whose} may be looked at at a time`);
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
