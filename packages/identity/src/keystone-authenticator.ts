import type { Authenticator } from '@fairway/apiserver/auth/user';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KeystoneTokens } from './keystone-tokens.ts';
import { KeystoneUnavailableError, type KeystoneUnavailableReason } from './keystone-unavailable-error.ts';
import type { ProjectNamespaces } from './project-namespaces.ts';
import { userInfoOf } from './user-info.ts';

/** Message for the client; the operator's log has details. */
const UNAVAILABLE_MESSAGES: Readonly<Record<KeystoneUnavailableReason, string>> = {
  unreachable: 'cannot validate your token: Keystone does not respond; try again later',
  credentialRefused:
    "cannot validate your token: Keystone rejects Fairway's own credential; the operator must renew it",
  notPermitted:
    "cannot validate your token: Fairway's Keystone user lacks permission to validate tokens; the operator must grant it",
};

/** Authenticates Keystone users at Fairway's own API, and creates namespaces for their projects on first use. */
export function createKeystoneAuthenticator(
  tokens: Pick<KeystoneTokens, 'authenticate' | 'follow'>,
  namespaces: Pick<ProjectNamespaces, 'of'>,
): Authenticator {
  return {
    async authenticate({ bearerToken, peer }) {
      if (bearerToken === undefined) return undefined;
      const user = await tokens.authenticate(bearerToken, peer).catch((error: unknown) => {
        throw error instanceof KeystoneUnavailableError ? asApiError(error) : error;
      });
      return user && userInfoOf(user, await namespaces.of(user));
    },
    follow: ({ bearerToken }, end) => (bearerToken === undefined ? undefined : tokens.follow(bearerToken, end)),
  };
}

function asApiError(error: KeystoneUnavailableError): ApiError {
  const { reason, retryAfterSeconds } = error;
  return new ApiError(503, 'ServiceUnavailable', UNAVAILABLE_MESSAGES[reason], { retryAfterSeconds, cause: error });
}
