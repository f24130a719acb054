import type { UserInfo } from './user.ts';

export interface AuthenticatedToken {
  readonly user: UserInfo;
  /** Those of the wanted audiences that the token is meant for; never empty. */
  readonly audiences: readonly string[];
}

/**
 * Tells whose bearer token this is. `undefined` means "not mine"; an Unauthorized ApiError means "mine, and bad".
 * `audiences` are the names of which the token must be meant for at least one.
 */
export interface TokenAuthenticator {
  authenticateToken(token: string, audiences: readonly string[]): Promise<AuthenticatedToken | undefined>;
}

/** For tokens that know nothing of audiences: they are meant for the API server itself. */
export function forApiAudiences(
  user: UserInfo | undefined,
  wanted: readonly string[],
  apiAudiences: readonly string[],
): AuthenticatedToken | undefined {
  const audiences = wanted.filter((audience) => apiAudiences.includes(audience));
  return user === undefined || audiences.length === 0 ? undefined : { user, audiences };
}
