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
  /** Session of a user who may validate other users' tokens. */
  readonly identity: Pick<Identity, 'validateToken' | 'revocationEvents'>;
  readonly clock: Clock;
  readonly log?: Logger;
}

/** Same as in OpenStack's own services (keystonemiddleware, token_cache_time). It bounds the delay of changes for which Keystone emits no event, such as a removed role. */
export const TOKEN_CACHE_TTL_MS = 5 * 60_000;
/** The same duration if there are no revocation events. */
export const TOKEN_CACHE_TTL_WITHOUT_EVENTS_MS = 60_000;
/** How long an unknown token stays cached: clients keep sending expired tokens. */
export const UNKNOWN_TTL_MS = 10_000;

/**
 * A failure may affect only one token: Keystone responds with 403 for a trust whose trustor lost a role or was
 * disabled. After this many failures in a row for different tokens, all tokens may be affected. One client with many
 * such tokens could cause this too, so no client is locked out; the limits for guesses apply instead.
 */
const MAX_CONSECUTIVE_REFUSALS = 3;

const MAX_CACHED = 20_000;
const MAX_UNKNOWN = 4_096;
const RESPONSE_TIMEOUT_MS = 10_000;

/** Limits for unknown tokens and for concurrent calls. */
export const LIMITS: GuessLimits = {
  concurrentReviews: { total: 32, perHolder: 8 },
  perNetwork: { burst: 20, perMinute: 60 },
  total: { burst: 300, perMinute: 600 },
};

interface CachedToken {
  readonly token: Token;
  readonly user: KeystoneUser;
  /** Time of the last validation. */
  readonly sinceMs: number;
}

interface Failure {
  readonly reason: KeystoneUnavailableReason;
  readonly message: string;
}

/**
 * Validates Keystone tokens. **Guarantees.** A validation is cached until the token expires, but for at most 5 minutes,
 * and only until Keystone's events report a revocation (read every 15 seconds, for all tokens at once). If Keystone
 * provides no events, each token is validated again every minute. Concurrent requests with one token share one call.
 * Values that cannot be Keystone tokens never reach Keystone; unknown tokens are limited to one per second and network,
 * and ten per second in total. Requests opened with a token end when it expires, and within 15 seconds of its
 * revocation, without calls of their own. **Caveats.** Keystone 2022 and later emit no event when a role is removed or
 * an application credential is deleted: such changes take up to 5 minutes to take effect.
 */
export class KeystoneTokens {
  readonly #options: KeystoneTokensOptions;
  readonly #log: Logger;
  /**
   * Validations by the token's digest, so heap dumps contain no tokens. Unknown tokens have a separate map, so guesses
   * do not evict valid tokens.
   */
  readonly #cachedTokens = new RecentMap<CachedToken>(MAX_CACHED);
  readonly #unknownTokens = new RecentMap<number>(MAX_UNKNOWN);
  readonly #refusedTokens = new RecentMap<{ readonly failure: Failure; readonly untilMs: number }>(MAX_UNKNOWN);
  #consecutiveRefusals = 0;
  readonly #pendingValidations = new Map<string, Promise<CachedToken | undefined>>();
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
   * Validates a token. Undefined if Keystone does not recognise the token, or if it cannot be a Keystone token. `peer`
   * is the client's address, used to limit guesses. Throws a {@link KeystoneUnavailableError} if Keystone is
   * unavailable, and an ApiError 429 for too many guesses.
   */
  async authenticate(token: string, peer = ''): Promise<KeystoneUser | undefined> {
    if (!isKeystoneShaped(token)) return undefined;
    const digest = digestOf(token);
    const nowMs = this.#options.clock.now();
    const known = this.#cachedTokens.get(digest);
    if (known !== undefined && this.#isFresh(known, nowMs)) return known.user;
    if (nowMs < (this.#unknownTokens.get(digest) ?? 0)) return undefined;
    try {
      const isHeld = known === undefined || this.#consecutiveRefusals >= MAX_CONSECUTIVE_REFUSALS;
      return (await this.#validateOnce(digest, token, isHeld ? peer : undefined))?.user;
    } catch (error) {
      // Known users keep access while their token is cached.
      const isKnown = known !== undefined && nowMs < expiryOf(known, TOKEN_CACHE_TTL_MS);
      const isUnanswered = error instanceof KeystoneUnavailableError || isApiError(error, 'TooManyRequests');
      if (isKnown && isUnanswered) return known.user;
      throw error;
    }
  }

  /**
   * Calls `end` when an accepted token expires, is revoked, or turns out to be invalid at a later use. Returns a
   * function that stops observing the token; undefined for values that cannot be Keystone tokens.
   */
  follow(token: string, end: () => void): (() => void) | undefined {
    if (!isKeystoneShaped(token)) return undefined;
    const digest = digestOf(token);
    const cached = this.#cachedTokens.get(digest);
    if (cached === undefined) {
      // The token has been revoked since it was accepted.
      end();
      return () => {};
    }
    this.#feed.follow();
    const { expiresAtMs } = cached.user;
    return this.#followed.follow(digest, { token: cached.token, expiresAtMs }, end);
  }

  close(): void {
    this.#feed.close();
    this.#followed.close();
  }

  #isFresh(cached: CachedToken, nowMs: number): boolean {
    return (
      nowMs < expiryOf(cached, this.#feed.isReliableAt(nowMs) ? TOKEN_CACHE_TTL_MS : TOKEN_CACHE_TTL_WITHOUT_EVENTS_MS)
    );
  }

  /** Invalidates a token that was just revoked: its next use validates it, even before the event arrives. */
  forget(token: string): void {
    this.#cachedTokens.delete(digestOf(token));
    this.#followed.end(digestOf(token));
  }

  /** Makes one call for all concurrent requests with the token. Subject to the limits for guesses if `peer` is set. */
  #validateOnce(digest: string, token: string, peer: string | undefined): Promise<CachedToken | undefined> {
    const running = this.#pendingValidations.get(digest);
    if (running !== undefined) return running;
    const refused = this.#refusedTokens.get(digest);
    const leftMs = (refused?.untilMs ?? 0) - this.#options.clock.now();
    if (refused !== undefined && leftMs > 0) throw unavailable(refused.failure, leftMs);
    const question = (
      peer === undefined ? this.#validateToken(digest, token) : this.#validateGuess(digest, token, peer)
    )
      .then((cached) => this.#remember(digest, cached))
      .finally(() => this.#pendingValidations.delete(digest));
    this.#pendingValidations.set(digest, question);
    return question;
  }

  #remember(digest: string, cached: CachedToken | undefined): CachedToken | undefined {
    this.#refusedTokens.delete(digest);
    if (cached === undefined) {
      this.#cachedTokens.delete(digest);
      this.#unknownTokens.set(digest, this.#options.clock.now() + UNKNOWN_TTL_MS);
      this.#followed.end(digest);
    } else {
      this.#cachedTokens.set(digest, cached);
      this.#feed.follow();
    }
    return cached;
  }

  async #validateGuess(digest: string, token: string, peer: string): Promise<CachedToken | undefined> {
    const end = this.#guesses.begin(peer, this.#options.clock.now());
    // An outage does not count as a guess.
    let wasGuess = false;
    try {
      const cached = await this.#validateToken(digest, token);
      wasGuess = cached === undefined;
      return cached;
    } finally {
      end(wasGuess || this.#refusedTokens.get(digest) !== undefined);
    }
  }

  /** Undefined for a token that Keystone does not recognise. */
  async #validateToken(digest: string, token: string): Promise<CachedToken | undefined> {
    const { clock, identity } = this.#options;
    // The time before the call, so that a concurrent revocation is not missed.
    const sinceMs = clock.now();
    const state = this.#outage.begin(sinceMs);
    if (state !== undefined) throw unavailable(state.failure, state.retryAfterMs);
    const timeout = Promise.withResolvers<never>();
    const abort = new AbortController();
    const timer = clock.after(RESPONSE_TIMEOUT_MS, () => {
      timeout.reject(new Error(`no answer within ${RESPONSE_TIMEOUT_MS / 1000} s`));
      abort.abort();
    });
    try {
      const found = await Promise.race([identity.validateToken(token, { signal: abort.signal }), timeout.promise]);
      this.#onResponse();
      const user = keystoneUser(found, clock.now());
      return user && { token: found, user, sinceMs };
    } catch (error) {
      if (isOpenStackError(error, 'notFound') && error.status === 404) {
        this.#onResponse();
        return undefined;
      }
      const failure = failureOf(error, token);
      const nowMs = clock.now();
      const isRepeated = isRefusal(error) && ++this.#consecutiveRefusals >= MAX_CONSECUTIVE_REFUSALS;
      if (isRefusal(error) && !(isRepeated && isOwnFailure(error))) {
        this.#refusedTokens.set(digest, { failure, untilMs: nowMs + UNKNOWN_TTL_MS });
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

  #onResponse(): void {
    this.#consecutiveRefusals = 0;
    this.#outage.ended();
  }

  /** Invalidates tokens that may be revoked, and ends requests opened with them. Returns whether any token is still cached or followed. */
  #forgetRevoked(events: readonly RevocationEvent[]): boolean {
    const nowMs = this.#options.clock.now();
    const isRevoked = revocations(events);
    this.#followed.endRevoked(isRevoked);
    let isAnyCached = !this.#followed.isEmpty;
    for (const [digest, cached] of this.#cachedTokens.entries()) {
      // A token that only needs validation again stays known: its holder is not treated as guessing.
      if (cached.user.expiresAtMs <= nowMs || isRevoked(cached.token)) this.#cachedTokens.delete(digest);
      else if (nowMs < expiryOf(cached, TOKEN_CACHE_TTL_MS)) isAnyCached = true;
    }
    return isAnyCached;
  }
}

function expiryOf({ user, sinceMs }: CachedToken, cacheTtlMs: number): number {
  return Math.min(user.expiresAtMs, sinceMs + cacheTtlMs);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

const SHORT_PAUSE_MS = 1_000;

function unavailable({ reason, message }: Failure, retryAfterMs = SHORT_PAUSE_MS): KeystoneUnavailableError {
  return new KeystoneUnavailableError(reason, message, retryAfterMs);
}

/** Whether a response from Keystone may concern only the token in question. */
function isRefusal(error: unknown): boolean {
  if (!isOpenStackError(error) || error.status === undefined) return false;
  return error.status <= 500 && error.status !== 401 && error.status !== 429;
}

/** Whether Keystone itself failed: without its database, it responds with 500 to every request. */
function isOwnFailure(error: unknown): boolean {
  return isOpenStackError(error) && error.status === 500;
}

/** Excludes the token, which Keystone may repeat in its response. */
function failureOf(error: unknown, token: string): Failure {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(token, '…');
  if (isOpenStackError(error, 'forbidden')) {
    return {
      reason: 'notPermitted',
      message: `Fairway's Keystone user lacks permission to validate tokens: ${message}`,
    };
  }
  if (isOpenStackError(error, 'unauthorized')) {
    return { reason: 'credentialRefused', message: `Keystone rejects Fairway's own credential: ${message}` };
  }
  return { reason: 'unreachable', message: `Keystone cannot validate tokens: ${message}` };
}
