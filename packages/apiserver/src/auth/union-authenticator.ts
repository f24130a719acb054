import { isApiError, unauthorized } from '@fairway/kube/object/api-error';
import type { AuthenticatedToken, TokenAuthenticator } from './token-authenticator.ts';
import type { Authenticator, Credentials, UserInfo } from './user.ts';
import { ANONYMOUS, anonymousUser, GROUP_AUTHENTICATED } from './well-known-users.ts';

export interface UnionOptions {
  /** In the order in which they are tried; kube-apiserver tries certificates before tokens. */
  readonly authenticators: readonly Authenticator[];
  readonly tokens: TokenAuthenticator;
  readonly apiAudiences: readonly string[];
  readonly allowAnonymous: boolean;
}

/**
 * Tries the authenticators in order. The first one that recognises the caller wins, even if another authenticator
 * rejected some of the credentials. If none does, invalid or unknown credentials result in 401; only a request without
 * credentials is anonymous.
 */
export function createUnionAuthenticator(options: UnionOptions): Authenticator {
  const { authenticators, tokens, apiAudiences, allowAnonymous } = options;
  return {
    async authenticate(credentials) {
      let rejection: unknown;
      for (const authenticator of authenticators) {
        try {
          const user = await authenticator.authenticate(credentials);
          if (user !== undefined) return asAuthenticated(user);
        } catch (error) {
          if (!isApiError(error, 'Unauthorized')) throw error;
          rejection = error;
        }
      }
      if (credentials.bearerToken !== undefined) {
        const known = await tokens.authenticateToken(credentials.bearerToken, apiAudiences);
        if (known !== undefined) return asAuthenticated(known.user);
        throw unauthorized();
      }
      if (rejection !== undefined || !allowAnonymous) throw unauthorized();
      return anonymousUser;
    },
    follow: (credentials, end) => follow(authenticators, credentials, end),
  };
}

/**
 * The result of the first token authenticator that recognises the token. A rejection takes effect only if no
 * authenticator recognises it.
 */
export function createUnionTokenAuthenticator(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences): Promise<AuthenticatedToken | undefined> {
      let rejection: unknown;
      for (const authenticator of authenticators) {
        try {
          const known = await authenticator.authenticateToken(token, audiences);
          if (known !== undefined) return { ...known, user: asAuthenticated(known.user) };
        } catch (error) {
          if (!isApiError(error, 'Unauthorized')) throw error;
          rejection = error;
        }
      }
      if (rejection !== undefined) throw rejection;
      return undefined;
    },
  };
}

function asAuthenticated(user: UserInfo): UserInfo {
  if (user.username === ANONYMOUS || user.groups.includes(GROUP_AUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, GROUP_AUTHENTICATED] };
}

/** Delegates to the first authenticator that recognises the credentials. */
export function follow(
  authenticators: readonly Authenticator[],
  credentials: Credentials,
  end: () => void,
): (() => void) | undefined {
  for (const authenticator of authenticators) {
    const stop = authenticator.follow?.(credentials, end);
    if (stop !== undefined) return stop;
  }
  return undefined;
}
