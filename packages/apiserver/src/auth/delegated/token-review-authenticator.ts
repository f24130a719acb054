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
const REMEMBER_MS = 10_000;
const MAX_REMEMBERED = 4_096;
/** kube-apiserver gives a token webhook 30 s; clients of this server time out sooner. */
const ANSWER_TIMEOUT_MS = 10_000;

interface ReviewResult {
  /** Undefined for a token that the API server does not know. */
  readonly user: UserInfo | undefined;
  readonly endMs: number;
}

/**
 * Reviews bearer tokens at another API server, each at most once in 10 s. If it is unavailable or takes more than 10 s,
 * rejects with a distinct error: an outage does not make a credential bad. Reviews of new tokens are limited (`TokenGuesses`).
 */
export function createTokenReviewAuthenticator(client: KubeClient, clock: Clock): Authenticator {
  // A separate cache, so that guessed tokens evict no valid one. Valid tokens are remembered for longer than their result is fresh.
  const known = new RecentMap<ReviewResult>(MAX_REMEMBERED);
  const unknown = new RecentMap<ReviewResult>(MAX_REMEMBERED);
  const asking = new Map<string, Promise<ReviewResult>>();
  const guesses = new TokenGuesses();
  const reviews = client.resource(TokenReviews);

  async function review(token: string): Promise<ReviewResult> {
    // Measured from before the review: a token revoked meanwhile is not accepted for longer.
    const endMs = clock.now() + REMEMBER_MS;
    const late = Promise.withResolvers<never>();
    const abort = new AbortController();
    const timer = clock.after(ANSWER_TIMEOUT_MS, () => {
      late.reject(timedOut());
      abort.abort();
    });
    try {
      const question = reviews.create({ metadata: {}, spec: { token } }, { signal: abort.signal });
      const { status } = await Promise.race([question, late.promise]);
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
    // A token must not be found in a heap dump.
    const digest = createHash('sha256').update(token).digest('base64');
    const cached = known.get(digest);
    const remembered = cached ?? unknown.get(digest);
    if (remembered && clock.now() < remembered.endMs) return remembered;
    const running = asking.get(digest);
    if (running) return running;
    const question = (cached ? review(token) : reviewGuess(token, peer)).finally(() => asking.delete(digest));
    asking.set(digest, question);
    const result = await question;
    known.delete(digest);
    unknown.delete(digest);
    (result.user ? known : unknown).set(digest, result);
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

function timedOut(): ApiError {
  const message = `the API server did not say within ${ANSWER_TIMEOUT_MS / 1000} s whose the token is`;
  return new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
}

function userOf(status: TokenReviewStatus | undefined): UserInfo | undefined {
  const { username, uid, groups = [], extra } = status?.user ?? {};
  if (status?.authenticated !== true || !username) return undefined;
  return { username, groups, ...(uid && { uid }), ...(extra && { extra }) };
}
