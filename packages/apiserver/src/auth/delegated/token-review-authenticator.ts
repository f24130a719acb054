import { createHash } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TokenReviewStatus } from '@fairway/kube/kinds/generated/types';
import { ApiError, unauthorized } from '@fairway/kube/object/api-error';
import type { Authenticator, UserInfo } from '../user.ts';
import { TokenReviews } from './review-types.ts';
import { TokenGuesses } from './token-guesses.ts';

/** How long a result is cached, as in extension API servers (k8s.io/apiserver, DelegatingAuthenticationOptions). */
const CACHE_TTL_MS = 10_000;
const MAX_CACHE_ENTRIES = 4_096;
/** kube-apiserver gives a token webhook 30 s; this server's clients time out sooner. */
const RESPONSE_TIMEOUT_MS = 10_000;

interface ReviewResult {
  /** Undefined for a token that the API server does not recognise. */
  readonly user: UserInfo | undefined;
  readonly endMs: number;
}

/**
 * Has bearer tokens reviewed by another API server, each token at most once every 10 s. If that server is unavailable
 * or takes more than 10 s, rejects with a distinct error: an outage does not make a credential invalid. Reviews of new
 * tokens are limited (`TokenGuesses`).
 */
export function createTokenReviewAuthenticator(client: KubeClient, clock: Clock): Authenticator {
  // A separate cache, so that guessed tokens cannot evict valid ones. Valid tokens are kept longer than
  // their results are fresh.
  const knownTokens = new RecentMap<ReviewResult>(MAX_CACHE_ENTRIES);
  const unknownTokens = new RecentMap<ReviewResult>(MAX_CACHE_ENTRIES);
  const pendingReviews = new Map<string, Promise<ReviewResult>>();
  const guesses = new TokenGuesses();
  const reviews = client.resource(TokenReviews);

  async function review(token: string): Promise<ReviewResult> {
    // Measured from the start of the review: a token that is revoked during the review is not accepted for longer.
    const endMs = clock.now() + CACHE_TTL_MS;
    const timeout = Promise.withResolvers<never>();
    const abort = new AbortController();
    const timer = clock.after(RESPONSE_TIMEOUT_MS, () => {
      timeout.reject(timeoutError());
      abort.abort();
    });
    try {
      const pendingReview = reviews.create({ metadata: {}, spec: { token } }, { signal: abort.signal });
      const { status } = await Promise.race([pendingReview, timeout.promise]);
      return { user: userOf(status), endMs };
    } finally {
      timer.cancel();
    }
  }

  async function reviewGuess(token: string, peer: string): Promise<ReviewResult> {
    const end = guesses.begin(peer, clock.now());
    // An outage does not count as a guess.
    let wasGuess = false;
    try {
      const result = await review(token);
      wasGuess = result.user === undefined;
      return result;
    } finally {
      end(wasGuess);
    }
  }

  async function resultFor(token: string, peer: string): Promise<ReviewResult> {
    // Tokens must not show up in a heap dump.
    const digest = createHash('sha256').update(token).digest('base64');
    const cached = knownTokens.get(digest);
    const cachedReview = cached ?? unknownTokens.get(digest);
    if (cachedReview && clock.now() < cachedReview.endMs) return cachedReview;
    const running = pendingReviews.get(digest);
    if (running) return running;
    const pendingReview = (cached ? review(token) : reviewGuess(token, peer)).finally(() =>
      pendingReviews.delete(digest),
    );
    pendingReviews.set(digest, pendingReview);
    const result = await pendingReview;
    knownTokens.delete(digest);
    unknownTokens.delete(digest);
    (result.user ? knownTokens : unknownTokens).set(digest, result);
    return result;
  }

  return {
    async authenticate({ bearerToken, peer = '' }) {
      if (bearerToken === undefined) return undefined;
      const { user } = await resultFor(bearerToken, peer);
      if (user === undefined) throw unauthorized();
      return user;
    },
  };
}

function timeoutError(): ApiError {
  const message = `the API server did not review the token within ${RESPONSE_TIMEOUT_MS / 1000} s`;
  return new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
}

function userOf(status: TokenReviewStatus | undefined): UserInfo | undefined {
  const { username, uid, groups = [], extra } = status?.user ?? {};
  if (status?.authenticated !== true || !username) return undefined;
  return { username, groups, ...(uid && { uid }), ...(extra && { extra }) };
}
