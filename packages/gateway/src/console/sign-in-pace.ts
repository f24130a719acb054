import { peerNetwork } from '@fairway/apiserver/server/peer-network';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { tooManyRequests } from '@fairway/kube/object/api-error';

/** Failed attempts from an address: an office has one for all its people. */
const PER_SOURCE: Rate = { burst: 20, perMinute: 6 };
/** Failed attempts on an account, from wherever: what Keystone itself locks is stricter, where it is switched on. */
const PER_ACCOUNT: Rate = { burst: 5, perMinute: 2 };
/** Attempts at accounts that run: each holds a connection to Keystone. */
const MAX_RUNNING = 32;
const MAX_SOURCES = 10_000;
const MAX_ACCOUNTS = 10_000;

/**
 * Slows guesses of passwords down, in bounded memory. Who guesses an account's password slows it for its owner too, but never for long: two attempts a
 * minute are left, and a session that is there goes on.
 */
export class SignInPace {
  readonly #sources = new TokenBuckets(PER_SOURCE, MAX_SOURCES);
  readonly #accounts = new TokenBuckets(PER_ACCOUNT, MAX_ACCOUNTS);
  #running = 0;

  /**
   * Lets an attempt begin; the returned function ends it and takes whether it was refused. Throws 429. Without an account, as with a token, only the address counts:
   * what strangers send delays nobody else, nor does a Keystone that is slow.
   */
  begin(peer: string, account: string | undefined, nowMs: number): (wasRefused: boolean) => void {
    const source = peerNetwork(peer);
    const sourceMs = waitMs(this.#sources.left(source, nowMs), PER_SOURCE);
    const accountMs = account === undefined ? 0 : waitMs(this.#accounts.left(account, nowMs), PER_ACCOUNT);
    const longestMs = Math.max(sourceMs, accountMs);
    if (longestMs > 0) {
      throw tooManyRequests('too many failed sign-in attempts: try again later', Math.ceil(longestMs / 1000));
    }
    // Taken before the answer, so that a hundred attempts at once are not one.
    const take = () => this.#sources.take(source, nowMs);
    const give = () => this.#sources.give(source, nowMs);
    if (account === undefined) {
      take();
      return (wasRefused) => {
        if (!wasRefused) give();
      };
    }
    if (this.#running >= MAX_RUNNING) throw tooManyRequests(`${MAX_RUNNING} sign-ins are in progress: try again`, 1);
    this.#running++;
    take();
    this.#accounts.take(account, nowMs);
    return (wasRefused) => {
      this.#running--;
      if (wasRefused) return;
      give();
      this.#accounts.give(account, nowMs);
    };
  }
}

function waitMs(left: number, { perMinute }: Rate): number {
  return left >= 1 ? 0 : ((1 - left) * 60_000) / perMinute;
}
