import type { HttpClient } from '../http/http-client.ts';
import { identityRoot, issuedToken } from './authenticate.ts';
import type { IssuedToken } from './token-source.ts';

const TEMPLATE = '/v3/OS-FEDERATION/identity_providers/{identity_provider}/protocols/{protocol}/auth';

/** Identifies a trust between Keystone and an identity provider. */
export interface FederationRef {
  readonly identityProvider: string;
  readonly protocol: string;
}

/** Exchanges a token from an identity provider for an unscoped token. */
export async function federate(
  http: HttpClient,
  authUrl: string,
  { identityProvider, protocol }: FederationRef,
  accessToken: string,
): Promise<IssuedToken> {
  const call = { service: 'identity', method: 'POST', template: TEMPLATE } as const;
  const [provider, by] = [encodeURIComponent(identityProvider), encodeURIComponent(protocol)];
  const response = await http.call({
    ...call,
    url: `${identityRoot(authUrl)}/OS-FEDERATION/identity_providers/${provider}/protocols/${by}/auth`,
    headers: { authorization: `Bearer ${accessToken}` },
    // An unused token does no harm.
    idempotent: true,
    isReading: true,
  });
  return issuedToken(response, call);
}
