import type { Authenticator, Credentials, UserInfo } from '../auth/user.ts';
import { unauthorized } from '../object/api-error.ts';

const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
const AUTHENTICATED = 'system:authenticated';

/** Who presents the credentials; throws 401 where nobody knows them and anonymous requests are not let in. */
export async function authenticate(
  authenticators: readonly Authenticator[],
  anonymous: boolean,
  credentials: Credentials,
): Promise<UserInfo> {
  for (const authenticator of authenticators) {
    const user = await authenticator.authenticate(credentials);
    if (user === undefined) continue;
    return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
  }
  // A token that nobody knows is a mistake to be told of, not a visitor without a name.
  if (!anonymous || credentials.bearerToken !== undefined) throw unauthorized();
  return ANONYMOUS;
}
