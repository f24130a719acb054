import { createHash } from 'node:crypto';
import { clusterRoleGroup, type KeystoneAccess } from '@fairway/api/domain/keystone-access';
import { type GuessLimits, TokenGuesses } from '@fairway/apiserver/auth/delegated/token-guesses';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import { isApiError } from '@fairway/kube/object/api-error';
import { type KeystoneTokens, UNKNOWN_TTL_MS } from './keystone-tokens.ts';
import { KeystoneUnavailableError } from './keystone-unavailable-error.ts';
import type { KeystoneUser } from './keystone-user.ts';
import { parsePolicy } from './policy/policy.ts';
import { createPolicyAuthorizer } from './policy/policy-authorizer.ts';
import { isKeystoneShaped } from './token-shape.ts';
import { userInfoOf } from './user-info.ts';

/**
 * Half of the total limit on Keystone calls. However many requests tenants' API servers send, Fairway's own API keeps
 * the other half.
 */
export const CLUSTER_LIMITS: GuessLimits = {
  concurrentReviews: { total: 16, perHolder: 4 },
  perNetwork: { burst: 20, perMinute: 60 },
  total: { burst: 150, perMinute: 300 },
};

const MAX_CACHE_ENTRIES = 10_000;

export interface ClusterUsersOptions {
  readonly tokens: Pick<KeystoneTokens, 'authenticate'>;
  readonly clock: Clock;
}

/** Identifies the user of a token at one cluster; undefined if the token is not accepted. */
export type ReviewToken = (token: string) => Promise<UserInfo | undefined>;

/**
 * Keystone users at tenants' clusters. **Guarantees.** A tenant may let their API server review any token, so a token
 * without access gets the same response as an unknown one, and counts as a guess; so does every token that Keystone
 * could not validate. Guesses at a cluster slow down only that cluster, and do not affect its known users.
 */
export class ClusterUsers {
  readonly #options: ClusterUsersOptions;
  readonly #guesses = new TokenGuesses(CLUSTER_LIMITS);
  /**
   * Expiry of accepted tokens, by cluster and token. Until then a token is validated again, but does not count as a
   * guess.
   */
  readonly #known = new RecentMap<number>(MAX_CACHE_ENTRIES);
  /** Expiry of unknown tokens, by cluster and token. */
  readonly #unknownTokens = new RecentMap<number>(MAX_CACHE_ENTRIES);

  constructor(options: ClusterUsersOptions) {
    this.#options = options;
  }

  /** Handles requests from one cluster's API server. */
  reviewerFor(clusterUid: string, access: KeystoneAccess): ReviewToken {
    return async (token) => {
      if (!isKeystoneShaped(token)) return undefined;
      try {
        return await this.#review(clusterUid, access, token);
      } catch (error) {
        // Both failures are logged where they occur; the response does not distinguish them.
        if (error instanceof KeystoneUnavailableError || isApiError(error, 'TooManyRequests')) return undefined;
        throw error;
      }
    };
  }

  /**
   * Additional permissions of Keystone users, as JSON in k8s-keystone-auth's format. Throws an Error that names the
   * position of a mistake.
   */
  authorizerFor(policy: string): Authorizer {
    return createPolicyAuthorizer(parsePolicy(policy));
  }

  async #review(clusterUid: string, access: KeystoneAccess, token: string): Promise<UserInfo | undefined> {
    const nowMs = this.#options.clock.now();
    const key = createHash('sha256').update(`${clusterUid}\n${token}`).digest('base64');
    if (nowMs < (this.#unknownTokens.get(key) ?? 0)) return undefined;
    const isKnown = nowMs < (this.#known.get(key) ?? 0);
    const end = isKnown ? undefined : this.#guesses.begin(clusterUid, nowMs);
    // An outage does not count as a guess.
    let wasGuess = false;
    try {
      const user = await this.#options.tokens.authenticate(token, clusterUid);
      if (user !== undefined && isAdmitted(user, access)) {
        this.#known.set(key, user.expiresAtMs);
        return clusterUser(user, access);
      }
      wasGuess = true;
      this.#known.delete(key);
      this.#unknownTokens.set(key, nowMs + UNKNOWN_TTL_MS);
      return undefined;
    } finally {
      end?.(wasGuess);
    }
  }
}

/** Only users with a token scoped to one of the projects are accepted. */
function isAdmitted({ project, isSystemScoped }: KeystoneUser, { projects }: KeystoneAccess): boolean {
  return !isSystemScoped && project !== undefined && projects.includes(project.id);
}

/** The same user as at Fairway's API, with the groups that their roles grant in the cluster. */
function clusterUser(user: KeystoneUser, { roles }: KeystoneAccess): UserInfo {
  const info = userInfoOf(user);
  const grantedRoles = user.roles.flatMap((role) => (Object.hasOwn(roles, role) ? [roles[role]] : []));
  const groups = [...new Set(grantedRoles)].flatMap((role) => (role === undefined ? [] : [clusterRoleGroup(role)]));
  return { ...info, groups: [...info.groups, ...groups] };
}
