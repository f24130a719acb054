import { createHash } from 'node:crypto';
import { clusterRoleGroup, type KeystoneAccess } from '@fairway/api/domain/keystone-access';
import { type GuessLimits, TokenGuesses } from '@fairway/apiserver/auth/delegated/token-guesses';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import { isApiError } from '@fairway/kube/object/api-error';
import { type KeystoneTokens, UNKNOWN_MS } from './keystone-tokens.ts';
import { KeystoneUnavailableError } from './keystone-unavailable-error.ts';
import type { KeystoneUser } from './keystone-user.ts';
import { parsePolicy } from './policy/policy.ts';
import { createPolicyAuthorizer } from './policy/policy-authorizer.ts';
import { isKeystoneShaped } from './token-shape.ts';
import { userInfoOf } from './user-info.ts';

/** Half of what Keystone is asked for all: whatever tenants have their API servers ask about, Fairway's own API keeps the other half. */
export const CLUSTER_LIMITS: GuessLimits = {
  questions: { total: 16, perHolder: 4 },
  perNetwork: { burst: 20, perMinute: 60 },
  all: { burst: 150, perMinute: 300 },
};

const MAX_REMEMBERED = 10_000;

export interface ClusterUsersOptions {
  readonly tokens: Pick<KeystoneTokens, 'authenticate'>;
  readonly clock: Clock;
}

/** Whose a token is at one cluster; undefined: nobody's. */
export type ReviewToken = (token: string) => Promise<UserInfo | undefined>;

/**
 * Users of Keystone at tenants' clusters.
 *
 * **Guarantees.** A tenant may have his API server ask about any token, so one that may not come in is answered as one that Keystone does not know, and counts as a
 * guess as that does; so is every token that Keystone can't be asked about. What a cluster guesses slows down itself alone, and nobody whom it knows.
 */
export class ClusterUsers {
  readonly #options: ClusterUsersOptions;
  readonly #guesses = new TokenGuesses(CLUSTER_LIMITS);
  /** By cluster and token, until it ends: Keystone is asked about it again, but not as about a guess. */
  readonly #known = new RecentMap<number>(MAX_REMEMBERED);
  /** By cluster and token; until when. */
  readonly #strangers = new RecentMap<number>(MAX_REMEMBERED);

  constructor(options: ClusterUsersOptions) {
    this.#options = options;
  }

  /** Answers one cluster's API server. */
  reviewerFor(clusterUid: string, access: KeystoneAccess): ReviewToken {
    return async (token) => {
      if (!isKeystoneShaped(token)) return undefined;
      try {
        return await this.#review(clusterUid, access, token);
      } catch (error) {
        // Both are logged where they arise; the answer does not tell them apart.
        if (error instanceof KeystoneUnavailableError || isApiError(error, 'TooManyRequests')) return undefined;
        throw error;
      }
    };
  }

  /** Further rights of such users, by JSON in k8s-keystone-auth's format. Throws an Error that says where it is wrong. */
  authorizerFor(policy: string): Authorizer {
    return createPolicyAuthorizer(parsePolicy(policy));
  }

  async #review(clusterUid: string, access: KeystoneAccess, token: string): Promise<UserInfo | undefined> {
    const nowMs = this.#options.clock.now();
    const key = createHash('sha256').update(`${clusterUid}\n${token}`).digest('base64');
    if (nowMs < (this.#strangers.get(key) ?? 0)) return undefined;
    const isKnown = nowMs < (this.#known.get(key) ?? 0);
    const end = isKnown ? undefined : this.#guesses.begin(clusterUid, nowMs);
    // An outage does not count as a guess.
    let wasGuess = false;
    try {
      const user = await this.#options.tokens.authenticate(token, clusterUid);
      if (user !== undefined && isLetIn(user, access)) {
        this.#known.set(key, user.expiresAtMs);
        return clusterUser(user, access);
      }
      wasGuess = true;
      this.#known.delete(key);
      this.#strangers.set(key, nowMs + UNKNOWN_MS);
      return undefined;
    } finally {
      end?.(wasGuess);
    }
  }
}

/** With a token for one of the projects: all others are strangers. */
function isLetIn({ project, isSystemScoped }: KeystoneUser, { projects }: KeystoneAccess): boolean {
  return !isSystemScoped && project !== undefined && projects.includes(project.id);
}

/** The user that he is at Fairway's API too, with what his roles give in the cluster. */
function clusterUser(user: KeystoneUser, { roles }: KeystoneAccess): UserInfo {
  const info = userInfoOf(user);
  const given = user.roles.flatMap((role) => (Object.hasOwn(roles, role) ? [roles[role]] : []));
  const groups = [...new Set(given)].flatMap((role) => (role === undefined ? [] : [clusterRoleGroup(role)]));
  return { ...info, groups: [...info.groups, ...groups] };
}
