import { createHash } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TokenReviewStatus } from '@fairway/kube/kinds/generated/types';
import { unauthorized } from '@fairway/kube/object/api-error';
import type { Authenticator, UserInfo } from '../user.ts';
import { TokenReviews } from './review-types.ts';

/** How long an answer counts: what aggregated API servers take for tokens (k8s.io/apiserver, DelegatingAuthenticationOptions). */
const REMEMBER_MS = 10_000;
const MAX_REMEMBERED = 4_096;

interface Verdict {
  /** Undefined for a token that the API server does not know. */
  readonly user: UserInfo | undefined;
  readonly endMs: number;
}

/**
 * Asks another API server whose a bearer token is, at most once in 10 s for each. What it can't tell, because it is away, rejects with the
 * error of the call: an outage is no bad credential.
 */
export function createTokenReviewAuthenticator(client: KubeClient, clock: Clock): Authenticator {
  // Apart, so that guessed tokens drive out no real one.
  const known = new RecentMap<Verdict>(MAX_REMEMBERED);
  const unknown = new RecentMap<Verdict>(MAX_REMEMBERED);
  const asking = new Map<string, Promise<Verdict>>();
  const reviews = client.resource(TokenReviews);

  async function review(token: string): Promise<Verdict> {
    // From before the question: a token that is revoked meanwhile is not believed any longer for it.
    const endMs = clock.now() + REMEMBER_MS;
    const { status } = await reviews.create({ metadata: {}, spec: { token } });
    return { user: userOf(status), endMs };
  }

  async function verdictOn(token: string): Promise<Verdict> {
    // A token must not be found in a heap dump.
    const digest = createHash('sha256').update(token).digest('base64');
    const remembered = known.get(digest) ?? unknown.get(digest);
    if (remembered && clock.now() < remembered.endMs) return remembered;
    const running = asking.get(digest);
    if (running) return running;
    const question = review(token).finally(() => asking.delete(digest));
    asking.set(digest, question);
    const verdict = await question;
    known.delete(digest);
    unknown.delete(digest);
    (verdict.user ? known : unknown).set(digest, verdict);
    return verdict;
  }

  return {
    async authenticate({ bearerToken }) {
      if (bearerToken === undefined) return undefined;
      const { user } = await verdictOn(bearerToken);
      if (user === undefined) throw unauthorized();
      return user;
    },
  };
}

function userOf(status: TokenReviewStatus | undefined): UserInfo | undefined {
  const { username, uid, groups = [], extra } = status?.user ?? {};
  if (status?.authenticated !== true || !username) return undefined;
  return { username, groups, ...(uid && { uid }), ...(extra && { extra }) };
}
