import { createHash } from 'node:crypto';
import { type GuessLimits, TokenGuesses } from '@fairway/apiserver/auth/delegated/token-guesses';
import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import { RecentMap } from '@fairway/base/recent-map';
import { isApiError } from '@fairway/kube/object/api-error';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Identity } from '@fairway/openstack/identity/identity';
import type { RevocationEvent, Token } from '@fairway/openstack/types/identity';
import { FollowedTokens } from './followed-tokens.ts';
import { KeystoneUnavailableError, type KeystoneUnavailableReason } from './keystone-unavailable-error.ts';
import { type KeystoneUser, keystoneUser } from './keystone-user.ts';
import { Outage } from './outage.ts';
import { revocations } from './revocation.ts';
import { RevocationFeed } from './revocation-feed.ts';
import { isKeystoneShaped } from './token-shape.ts';

export interface KeystoneTokensOptions {
  /** Of a user that may validate the tokens of others. */
  readonly identity: Pick<Identity, 'validateToken' | 'revocationEvents'>;
  readonly clock: Clock;
  readonly log?: Logger;
}

/** As long as OpenStack's own services believe a token (keystonemiddleware, token_cache_time). What Keystone tells no event of ends by it: a role that was taken away. */
export const BELIEVED_MS = 5 * 60_000;
/** The same without events of revocation. */
export const BELIEVED_BLINDLY_MS = 60_000;
/** How long an unknown token stays unknown: a client with an expired one repeats it. */
export const UNKNOWN_MS = 10_000;

/**
 * An answer to one token may be about that token alone: of a trust whose trustor has lost a role or was disabled, Keystone says 403. From as many tokens on, one after another,
 * it may concern all. It may be somebody who has made many of them, too: so nobody is kept out by it, but whoever asks is held to the limits of guesses.
 */
const REFUSED_IN_A_ROW = 3;

const MAX_BELIEVED = 20_000;
const MAX_UNKNOWN = 4_096;
const ANSWER_TIMEOUT_MS = 10_000;

/** Tokens that Keystone does not know, and questions at a time. */
export const LIMITS: GuessLimits = {
  questions: { total: 32, perHolder: 8 },
  perNetwork: { burst: 20, perMinute: 60 },
  all: { burst: 300, perMinute: 600 },
};

interface Belief {
  readonly token: Token;
  readonly user: KeystoneUser;
  /** When Keystone was asked. */
  readonly sinceMs: number;
}

interface Failure {
  readonly reason: KeystoneUnavailableReason;
  readonly message: string;
}

/**
 * Whose a token of Keystone is.
 *
 * **Guarantees.** A token is believed until it ends or 5 minutes after Keystone was asked, whichever is first, and no longer than until Keystone's events tell that it was revoked (asked for
 * every 15 seconds, for all tokens at once). Where Keystone tells no events, it is asked about each token every minute. Callers with one token share one call. What
 * can't be a token of Keystone never reaches it, and of those that it does not know a network sends one a second, all of them together ten. What is open by a token ends with it, and within 15 seconds of
 * its revocation, at no call of its own.
 *
 * **Caveats.** Keystone 2022 and later tell of no event when a role is taken away or an application credential deleted: that takes up to 5 minutes.
 */
export class KeystoneTokens {
  readonly #options: KeystoneTokensOptions;
  readonly #log: Logger;
  /** By digest: a token must not be found in a heap dump. A separate map, so that guesses evict nobody. */
  readonly #believed = new RecentMap<Belief>(MAX_BELIEVED);
  readonly #unknown = new RecentMap<number>(MAX_UNKNOWN);
  readonly #refused = new RecentMap<{ readonly failure: Failure; readonly untilMs: number }>(MAX_UNKNOWN);
  #refusedInARow = 0;
  readonly #asking = new Map<string, Promise<Belief | undefined>>();
  readonly #guesses = new TokenGuesses(LIMITS);
  readonly #outage = new Outage<Failure>();
  readonly #feed: RevocationFeed;
  readonly #followed: FollowedTokens;

  constructor(options: KeystoneTokensOptions) {
    const { identity, clock, log = silentLogger } = options;
    this.#options = options;
    this.#log = log;
    this.#followed = new FollowedTokens(clock);
    this.#feed = new RevocationFeed({ identity, clock, log, onEvents: (events) => this.#forgetRevoked(events) });
  }

  /**
   * Undefined: Keystone does not know the token, or it can't be one of Keystone's. `peer` is the address that it came from, to slow down who guesses. Throws a
   * {@link KeystoneUnavailableError} if Keystone can't be asked, and an ApiError 429 to who guesses too much.
   */
  async authenticate(token: string, peer = ''): Promise<KeystoneUser | undefined> {
    if (!isKeystoneShaped(token)) return undefined;
    const digest = digestOf(token);
    const nowMs = this.#options.clock.now();
    const known = this.#believed.get(digest);
    if (known !== undefined && this.#isFresh(known, nowMs)) return known.user;
    if (nowMs < (this.#unknown.get(digest) ?? 0)) return undefined;
    try {
      const isHeld = known === undefined || this.#refusedInARow >= REFUSED_IN_A_ROW;
      return (await this.#askOnce(digest, token, isHeld ? peer : undefined))?.user;
    } catch (error) {
      // Who is known stays so for the time of the cache.
      const isKnown = known !== undefined && nowMs < endOf(known, BELIEVED_MS);
      const isUnanswered = error instanceof KeystoneUnavailableError || isApiError(error, 'TooManyRequests');
      if (isKnown && isUnanswered) return known.user;
      throw error;
    }
  }

  /**
   * Calls `end` when a token that was let in ends, is revoked, or is found not to be valid any more at another use of it: for what is open by it. Returns how to stop;
   * undefined for what can't be a token of Keystone.
   */
  follow(token: string, end: () => void): (() => void) | undefined {
    if (!isKeystoneShaped(token)) return undefined;
    const digest = digestOf(token);
    const belief = this.#believed.get(digest);
    if (belief === undefined) {
      // It was revoked since it was let in.
      end();
      return () => {};
    }
    this.#feed.follow();
    const { expiresAtMs } = belief.user;
    return this.#followed.follow(digest, { token: belief.token, expiresAtMs }, end);
  }

  close(): void {
    this.#feed.close();
    this.#followed.close();
  }

  #isFresh(belief: Belief, nowMs: number): boolean {
    return nowMs < endOf(belief, this.#feed.isReliableAt(nowMs) ? BELIEVED_MS : BELIEVED_BLINDLY_MS);
  }

  /** Has Keystone asked at the token's next use: it has just been revoked, which events tell later. */
  forget(token: string): void {
    this.#believed.delete(digestOf(token));
    this.#followed.end(digestOf(token));
  }

  /** One call for all who come with the token meanwhile. Of what is held to the limits of guesses, with the address that it came from. */
  #askOnce(digest: string, token: string, peer: string | undefined): Promise<Belief | undefined> {
    const running = this.#asking.get(digest);
    if (running !== undefined) return running;
    const refused = this.#refused.get(digest);
    const leftMs = (refused?.untilMs ?? 0) - this.#options.clock.now();
    if (refused !== undefined && leftMs > 0) throw unavailable(refused.failure, leftMs);
    const question = (peer === undefined ? this.#ask(digest, token) : this.#guess(digest, token, peer))
      .then((belief) => this.#remember(digest, belief))
      .finally(() => this.#asking.delete(digest));
    this.#asking.set(digest, question);
    return question;
  }

  #remember(digest: string, belief: Belief | undefined): Belief | undefined {
    this.#refused.delete(digest);
    if (belief === undefined) {
      this.#believed.delete(digest);
      this.#unknown.set(digest, this.#options.clock.now() + UNKNOWN_MS);
      this.#followed.end(digest);
    } else {
      this.#believed.set(digest, belief);
      this.#feed.follow();
    }
    return belief;
  }

  async #guess(digest: string, token: string, peer: string): Promise<Belief | undefined> {
    const end = this.#guesses.begin(peer, this.#options.clock.now());
    // An outage does not count as a guess.
    let wasGuess = false;
    try {
      const belief = await this.#ask(digest, token);
      wasGuess = belief === undefined;
      return belief;
    } finally {
      end(wasGuess || this.#refused.get(digest) !== undefined);
    }
  }

  /** Undefined for a token that Keystone does not know. */
  async #ask(digest: string, token: string): Promise<Belief | undefined> {
    const { clock, identity } = this.#options;
    // From before the question: what is revoked meanwhile is not believed for longer.
    const sinceMs = clock.now();
    const standing = this.#outage.begin(sinceMs);
    if (standing !== undefined) throw unavailable(standing.failure, standing.retryAfterMs);
    const late = Promise.withResolvers<never>();
    const abort = new AbortController();
    const timer = clock.after(ANSWER_TIMEOUT_MS, () => {
      late.reject(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`));
      abort.abort();
    });
    try {
      const found = await Promise.race([identity.validateToken(token, { signal: abort.signal }), late.promise]);
      this.#answered();
      const user = keystoneUser(found, clock.now());
      return user && { token: found, user, sinceMs };
    } catch (error) {
      if (isOpenStackError(error, 'notFound') && error.status === 404) {
        this.#answered();
        return undefined;
      }
      const failure = failureOf(error, token);
      const nowMs = clock.now();
      const isInARow = isRefusal(error) && ++this.#refusedInARow >= REFUSED_IN_A_ROW;
      if (isRefusal(error) && !(isInARow && isOwnFailure(error))) {
        this.#refused.set(digest, { failure, untilMs: nowMs + UNKNOWN_MS });
        this.#outage.ended();
      } else {
        this.#outage.failed(failure, nowMs);
      }
      this.#log.warn({ reason: failure.reason }, failure.message);
      throw unavailable(failure);
    } finally {
      timer.cancel();
    }
  }

  #answered(): void {
    this.#refusedInARow = 0;
    this.#outage.ended();
  }

  /** What may be revoked is asked about again at its next use, and what is open by it ends. Tells whether any token is still believed, or followed. */
  #forgetRevoked(events: readonly RevocationEvent[]): boolean {
    const nowMs = this.#options.clock.now();
    const isRevoked = revocations(events);
    this.#followed.endThose(isRevoked);
    let isAnyBelieved = !this.#followed.isEmpty;
    for (const [digest, belief] of this.#believed.entries()) {
      // One that only has to be asked about again stays known: its holder is no stranger.
      if (belief.user.expiresAtMs <= nowMs || isRevoked(belief.token)) this.#believed.delete(digest);
      else if (nowMs < endOf(belief, BELIEVED_MS)) isAnyBelieved = true;
    }
    return isAnyBelieved;
  }
}

function endOf({ user, sinceMs }: Belief, believedMs: number): number {
  return Math.min(user.expiresAtMs, sinceMs + believedMs);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

const SHORT_PAUSE_MS = 1_000;

function unavailable({ reason, message }: Failure, retryAfterMs = SHORT_PAUSE_MS): KeystoneUnavailableError {
  return new KeystoneUnavailableError(reason, message, retryAfterMs);
}

/** Whether an answer of Keystone may be about the one token that it was asked about. */
function isRefusal(error: unknown): boolean {
  if (!isOpenStackError(error) || error.status === undefined) return false;
  return error.status <= 500 && error.status !== 401 && error.status !== 429;
}

/** Whether it says that it failed itself: with its database away, Keystone says so to everybody. */
function isOwnFailure(error: unknown): boolean {
  return isOpenStackError(error) && error.status === 500;
}

/** Without the token, which Keystone may repeat in its answer. */
function failureOf(error: unknown, token: string): Failure {
  const said = (error instanceof Error ? error.message : String(error)).replaceAll(token, '…');
  if (isOpenStackError(error, 'forbidden')) {
    return { reason: 'notPermitted', message: `Fairway's user at Keystone may not validate tokens: ${said}` };
  }
  if (isOpenStackError(error, 'unauthorized')) {
    return { reason: 'credentialRefused', message: `Keystone refuses Fairway's own credential: ${said}` };
  }
  return { reason: 'unreachable', message: `Keystone can't be asked whose a token is: ${said}` };
}
