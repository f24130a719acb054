import type * as oauth from 'oauth4webapi';
import { SignInError } from '../person.ts';
import type { OidcClient } from '../sign-in.ts';
import type { Provider } from './provider.ts';

/** The provider's token that is sent to Keystone. */
export function subjectToken({ tokenType }: OidcClient, payload: oauth.TokenEndpointResponse): string {
  const token = payload[tokenType];
  if (typeof token === 'string') return token;
  throw new SignInError(`the identity provider returned no ${tokenType}`, {
    advice: tokenType === 'id_token' ? 'openid_scope must include openid' : 'check openid_scope',
  });
}

/**
 * Identifies the provider by its ID token if only endpoints were configured: the token comes directly from the
 * configured endpoint, and Keystone checks it too.
 */
export async function issuerFromIdToken(
  response: Response,
  { server, isDiscovered }: Provider,
): Promise<oauth.AuthorizationServer> {
  if (isDiscovered || response.status !== 200) return server;
  const payload: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return { ...server, ...claimsOf((payload as { readonly id_token?: unknown } | undefined)?.id_token) };
}

function claimsOf(idToken: unknown): Partial<oauth.AuthorizationServer> {
  if (typeof idToken !== 'string') return {};
  try {
    const [header = '', claims = ''] = idToken.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    const { iss } = JSON.parse(claims) as { readonly iss: string };
    const { alg } = JSON.parse(header) as { readonly alg: string };
    return { issuer: iss, id_token_signing_alg_values_supported: [alg] };
  } catch {
    return {};
  }
}
