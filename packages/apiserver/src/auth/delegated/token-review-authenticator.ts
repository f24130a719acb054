import { createHash } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TokenReviewStatus } from '@fairway/kube/kinds/generated/types';
import { ApiError, unauthorized } from '@fairway/kube/object/api-error';
import type { Authenticator, UserInfo } from '../user.ts';
import { TokenReviews } from './review-types.ts';
import { TokenGuesses } from './token-guesses.ts';

/** How long an answer counts: what aggregated API servers take for tokens (k8s.io/apiserver, DelegatingAuthenticationOptions). */
const REMEMBER_MS = 10_000;
const MAX_REMEMBERED = 4_096;
/** kube-apiserver itself gives a webhook that knows tokens 30 s; clients of this server give up sooner. */
const ANSWER_TIMEOUT_MS = 10_000;

interface Verdict {
  /** Undefined for a token that the API server does not know. */
  readonly user: UserInfo | undefined;
  readonly endMs: number;
}

/**
 * Asks another API server whose a bearer token is, at most once in 10 s for each. What it can't tell, because it is away or takes more than 10 s,
 * rejects with an error of its own: an outage is no bad credential. Tokens that nobody has believed before are bounded (`TokenGuesses`).
 */
export function createTokenReviewAuthenticator(client: KubeClient, clock: Clock): Authenticator {
  // Apart, so that guessed tokens drive out no real one. Those that were believed are remembered for longer than they count.
  const known = new RecentMap<Verdict>(MAX_REMEMBERED);
  const unknown = new RecentMap<Verdict>(MAX_REMEMBERED);
  const asking = new Map<string, Promise<Verdict>>();
  const guesses = new TokenGuesses();
  const reviews = client.resource(TokenReviews);

  async function review(token: string): Promise<Verdict> {
    // From before the question: a token that is revoked meanwhile is not believed any longer for it.
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

  async function reviewGuess(token: string, peer: string): Promise<Verdict> {
    const end = guesses.begin(peer, clock.now());
    // Whoever meets an outage has guessed nothing.
    let wasGuess = false;
    try {
      const verdict = await review(token);
      wasGuess = verdict.user === undefined;
      return verdict;
    } finally {
      end(wasGuess);
    }
  }

  async function verdictOn(token: string, peer: string): Promise<Verdict> {
    // A token must not be found in a heap dump.
    const digest = createHash('sha256').update(token).digest('base64');
    const believed = known.get(digest);
    const remembered = believed ?? unknown.get(digest);
    if (remembered && clock.now() < remembered.endMs) return remembered;
    const running = asking.get(digest);
    if (running) return running;
    const question = (believed ? review(token) : reviewGuess(token, peer)).finally(() => asking.delete(digest));
    asking.set(digest, question);
    const verdict = await question;
    known.delete(digest);
    unknown.delete(digest);
    (verdict.user ? known : unknown).set(digest, verdict);
    return verdict;
  }

  return {
    async authenticate({ bearerToken, peer = '' }) {
      if (bearerToken === undefined) return undefined;
      const { user } = await verdictOn(bearerToken, peer);
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
