import type { Authenticator } from '@fairway/apiserver/auth/user';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KeystoneTokens } from './keystone-tokens.ts';
import { KeystoneUnavailableError, type KeystoneUnavailableReason } from './keystone-unavailable-error.ts';
import type { ProjectNamespaces } from './project-namespaces.ts';
import { userInfoOf } from './user-info.ts';

/** What its holder is told; the operator's log has the rest. */
const UNAVAILABLE: Readonly<Record<KeystoneUnavailableReason, string>> = {
  unreachable: "Keystone can't be asked whose your token is: try again later",
  credentialRefused:
    "Keystone can't be asked whose your token is: it refuses Fairway's own credential; the operator has to renew it",
  notPermitted:
    "Keystone can't be asked whose your token is: Fairway's user there may not validate tokens; the operator has to let it",
};

/** Users of Fairway's own API by tokens of Keystone, whose projects get their namespaces on the way. */
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
  return new ApiError(503, 'ServiceUnavailable', UNAVAILABLE[reason], { retryAfterSeconds, cause: error });
}
