import { unauthorized } from '@fairway/kube/object/api-error';
import type { Authenticator, Credentials, UserInfo } from '../auth/user.ts';
import { ANONYMOUS, anonymousUser, GROUP_AUTHENTICATED } from '../auth/well-known-users.ts';

/**
 * Authenticates a request; throws 401 if no authenticator recognises the credentials and anonymous requests are
 * disabled.
 */
export async function authenticate(
  authenticators: readonly Authenticator[],
  anonymous: boolean,
  credentials: Credentials,
): Promise<UserInfo> {
  for (const authenticator of authenticators) {
    const user = await authenticator.authenticate(credentials);
    if (user === undefined) continue;
    // An authenticator may accept anonymous requests itself: they still count as unauthenticated.
    if (user.username === ANONYMOUS || user.groups.includes(GROUP_AUTHENTICATED)) return user;
    return { ...user, groups: [...user.groups, GROUP_AUTHENTICATED] };
  }
  // An unknown token must be reported as an error, not accepted as anonymous.
  if (!anonymous || credentials.bearerToken !== undefined) throw unauthorized();
  return anonymousUser;
}
