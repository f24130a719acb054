import { unauthorized } from '@fairway/kube/object/api-error';
import type { Authenticator, Credentials, UserInfo } from '../auth/user.ts';
import { ANONYMOUS, anonymousUser, GROUP_AUTHENTICATED } from '../auth/well-known-users.ts';

/** Who presents the credentials; throws 401 where nobody knows them and anonymous requests are not let in. */
export async function authenticate(
  authenticators: readonly Authenticator[],
  anonymous: boolean,
  credentials: Credentials,
): Promise<UserInfo> {
  for (const authenticator of authenticators) {
    const user = await authenticator.authenticate(credentials);
    if (user === undefined) continue;
    // An authenticator may let anonymous requests in by itself: they are nobody's still.
    if (user.username === ANONYMOUS || user.groups.includes(GROUP_AUTHENTICATED)) return user;
    return { ...user, groups: [...user.groups, GROUP_AUTHENTICATED] };
  }
  // A token that nobody knows is a mistake to be told of, not a visitor without a name.
  if (!anonymous || credentials.bearerToken !== undefined) throw unauthorized();
  return anonymousUser;
}
