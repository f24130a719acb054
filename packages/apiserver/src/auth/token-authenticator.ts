import type { UserInfo } from './user.ts';

export interface AuthenticatedToken {
  readonly user: UserInfo;
  /** The requested audiences that the token is valid for; never empty. */
  readonly audiences: readonly string[];
}

/**
 * Authenticates a bearer token. `undefined` means "not mine"; an Unauthorized ApiError means "mine, but invalid".
 * The token must be valid for at least one of `audiences`.
 */
export interface TokenAuthenticator {
  authenticateToken(token: string, audiences: readonly string[]): Promise<AuthenticatedToken | undefined>;
}

/** The result for a token without audiences, which is valid for the API server itself. */
export function forApiAudiences(
  user: UserInfo | undefined,
  requested: readonly string[],
  apiAudiences: readonly string[],
): AuthenticatedToken | undefined {
  const audiences = requested.filter((audience) => apiAudiences.includes(audience));
  return user === undefined || audiences.length === 0 ? undefined : { user, audiences };
}

/** Authenticates tokens from other issuers, which are valid for the API server itself. */
export function createExternalTokenAuthenticator(
  review: (token: string) => Promise<UserInfo | undefined>,
  apiAudiences: readonly string[],
): TokenAuthenticator {
  return {
    authenticateToken: async (token, audiences) => forApiAudiences(await review(token), audiences, apiAudiences),
  };
}
