import { peerNetwork } from '@fairway/apiserver/server/peer-network';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { tooManyRequests } from '@fairway/kube/object/api-error';

/** Failed attempts from an address, which a whole office may share. */
const SOURCE_RATE: Rate = { burst: 20, perMinute: 6 };
/** Failed attempts on an account, from any address: Keystone's own lockout is stricter, if enabled. */
const ACCOUNT_RATE: Rate = { burst: 5, perMinute: 2 };
/** Password attempts in progress: each uses a connection to Keystone. */
const MAX_CONCURRENT_SIGN_INS = 32;
const MAX_SOURCES = 10_000;
const MAX_ACCOUNTS = 10_000;

/**
 * Rate-limits password guesses, in bounded memory. Guessing an account's password also slows down the account's
 * owner, but never for long: two attempts a minute remain, and existing sessions continue.
 */
export class SignInRateLimit {
  readonly #sources = new TokenBuckets(SOURCE_RATE, MAX_SOURCES);
  readonly #accounts = new TokenBuckets(ACCOUNT_RATE, MAX_ACCOUNTS);
  #running = 0;

  /**
   * Begins an attempt. The returned function ends it; its argument is whether the attempt was refused. Throws 429.
   * Without an account, as with a token, only the address counts: neither other clients' requests nor a slow Keystone
   * delay anyone.
   */
  begin(peer: string, account: string | undefined, nowMs: number): (wasRefused: boolean) => void {
    const source = peerNetwork(peer);
    const sourceMs = waitMs(this.#sources.left(source, nowMs), SOURCE_RATE);
    const accountMs = account === undefined ? 0 : waitMs(this.#accounts.left(account, nowMs), ACCOUNT_RATE);
    const maxWaitMs = Math.max(sourceMs, accountMs);
    if (maxWaitMs > 0) {
      throw tooManyRequests('too many failed sign-in attempts: try again later', Math.ceil(maxWaitMs / 1000));
    }
    // Counted before the response, so that a hundred concurrent attempts are not counted as one.
    const takeToken = () => this.#sources.tryTake(source, nowMs);
    const returnToken = () => this.#sources.refund(source, nowMs);
    if (account === undefined) {
      takeToken();
      return (wasRefused) => {
        if (!wasRefused) returnToken();
      };
    }
    if (this.#running >= MAX_CONCURRENT_SIGN_INS)
      throw tooManyRequests(`${MAX_CONCURRENT_SIGN_INS} sign-ins are in progress: try again`, 1);
    this.#running++;
    takeToken();
    this.#accounts.tryTake(account, nowMs);
    return (wasRefused) => {
      this.#running--;
      if (wasRefused) return;
      returnToken();
      this.#accounts.refund(account, nowMs);
    };
  }
}

function waitMs(tokens: number, { perMinute }: Rate): number {
  return tokens >= 1 ? 0 : ((1 - tokens) * 60_000) / perMinute;
}
