import { peerNetwork } from '@fairway/apiserver/server/peer-network';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { tooManyRequests } from '@fairway/kube/object/api-error';

/** Failed attempts from an address: all people in an office may share one. */
const PER_SOURCE: Rate = { burst: 20, perMinute: 6 };
/** Failed attempts on an account, from any address: Keystone's own lockout is stricter, if enabled. */
const PER_ACCOUNT: Rate = { burst: 5, perMinute: 2 };
/** Attempts at accounts in progress: each holds a connection to Keystone. */
const MAX_RUNNING = 32;
const MAX_SOURCES = 10_000;
const MAX_ACCOUNTS = 10_000;

/**
 * Rate-limits password guesses, in bounded memory. Guessing the password of an account also slows its owner down, but never for
 * long: two attempts a minute remain, and existing sessions continue.
 */
export class SignInPace {
  readonly #sources = new TokenBuckets(PER_SOURCE, MAX_SOURCES);
  readonly #accounts = new TokenBuckets(PER_ACCOUNT, MAX_ACCOUNTS);
  #running = 0;

  /**
   * Begins an attempt; the returned function ends it and takes whether it was refused. Throws 429. Without an account, as with a
   * token, only the address counts: neither strangers' requests nor a slow Keystone delay anyone else.
   */
  begin(peer: string, account: string | undefined, nowMs: number): (wasRefused: boolean) => void {
    const source = peerNetwork(peer);
    const sourceMs = waitMs(this.#sources.left(source, nowMs), PER_SOURCE);
    const accountMs = account === undefined ? 0 : waitMs(this.#accounts.left(account, nowMs), PER_ACCOUNT);
    const longestMs = Math.max(sourceMs, accountMs);
    if (longestMs > 0) {
      throw tooManyRequests('too many failed sign-in attempts: try again later', Math.ceil(longestMs / 1000));
    }
    // Counted before the answer, so that a hundred concurrent attempts are not one.
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
