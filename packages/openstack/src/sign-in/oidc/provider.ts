import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { list } from '../../types/collections.ts';
import { SignInError } from '../person.ts';
import type { OidcClient } from '../sign-in.ts';
import type { TransportFetch } from './transport-fetch.ts';

const WELL_KNOWN = '/.well-known/openid-configuration';

const Metadata = z.looseObject({
  issuer: z.string(),
  token_endpoint: z.url().optional(),
  authorization_endpoint: z.url().optional(),
  device_authorization_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: list(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/** An identity provider as one client sees it. */
export interface Provider {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  readonly options: { readonly [oauth.customFetch]: TransportFetch; readonly [oauth.allowInsecureRequests]: boolean };
  /** False if the issuer is unknown because only endpoints were configured. */
  readonly isDiscovered: boolean;
}

/** Reads the discovery document if it exists; configured endpoints take precedence. */
export async function openProvider(client: OidcClient, fetch: TransportFetch, skewSeconds: number): Promise<Provider> {
  const { discoveryEndpoint: url } = client;
  const found = url === undefined ? undefined : await discover(url, fetch);
  const server: oauth.AuthorizationServer = {
    ...(found ?? { issuer: new URL(client.accessTokenEndpoint ?? '').origin }),
    ...(client.accessTokenEndpoint !== undefined && { token_endpoint: client.accessTokenEndpoint }),
    ...(client.authorizationEndpoint !== undefined && { authorization_endpoint: client.authorizationEndpoint }),
    ...(client.deviceAuthorizationEndpoint !== undefined && {
      device_authorization_endpoint: client.deviceAuthorizationEndpoint,
    }),
  };
  return {
    server,
    client: { client_id: client.id, [oauth.clockSkew]: skewSeconds },
    authentication: authenticationOf(client, server.token_endpoint_auth_methods_supported),
    options: {
      [oauth.customFetch]: fetch,
      // Allows plain HTTP only if the document or the configured endpoint is on this machine.
      [oauth.allowInsecureRequests]: (url ?? client.accessTokenEndpoint ?? '').startsWith('http:'),
    },
    isDiscovered: found !== undefined,
  };
}

async function discover(url: string, fetch: TransportFetch): Promise<oauth.AuthorizationServer> {
  const response = await fetch(url, { method: 'GET', headers: { accept: 'application/json' } });
  const text = await response.text();
  if (response.status !== 200) {
    throw new SignInError(`${url} returned ${response.status} instead of a provider's discovery document`, {
      advice: 'check discovery_endpoint',
    });
  }
  const { data } = Metadata.safeParse(parsed(text));
  if (data === undefined) {
    throw new SignInError(`${url} is not the discovery document of an OpenID Connect provider`, {
      advice: 'check discovery_endpoint',
    });
  }
  // A document from another issuer could redirect requests to its own endpoints.
  const issuer = url.endsWith(WELL_KNOWN) ? url.slice(0, -WELL_KNOWN.length) : undefined;
  if (issuer !== undefined && data.issuer.replace(/\/$/, '') !== issuer) {
    throw new SignInError(`${url} is the discovery document of another provider: ${data.issuer}`, {
      advice: 'check discovery_endpoint',
    });
  }
  return data as oauth.AuthorizationServer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** HTTP basic authentication, as in keystoneauth, unless the provider accepts the secret only in the body. */
function authenticationOf({ secret }: OidcClient, supported: readonly string[] | undefined): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  const supportsBasic = supported === undefined || supported.includes('client_secret_basic');
  return supportsBasic || !supported.includes('client_secret_post')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

/** Describes a failure at the provider and what to do. */
export function explained(error: unknown): unknown {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const detail = error.error_description === undefined ? '' : `: ${error.error_description}`;
    return new SignInError(`the identity provider rejected the request: ${error.error}${detail}`, {
      ...adviceFor(error.error),
      cause: error,
    });
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new SignInError(`the identity provider does not know the client (${error.status})`, {
      ...adviceFor('invalid_client'),
      cause: error,
    });
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return new SignInError(`the identity provider returned an invalid response: ${error.message}`, { cause: error });
  }
  return error;
}

const ADVICE: Readonly<Record<string, string>> = {
  invalid_client: 'check client_id and client_secret',
  unauthorized_client: 'the client is not allowed to do this: use another auth_type or client_id',
  unsupported_grant_type: 'the provider does not support it: use another auth_type',
  invalid_grant: 'check user name and password, or start the sign-in again',
  invalid_scope: 'check openid_scope',
  access_denied: 'it was declined in the browser; start again',
  expired_token: 'it took too long in the browser; start again',
};

function adviceFor(code: string): { readonly advice?: string } {
  const advice = ADVICE[code];
  return advice === undefined ? {} : { advice };
}
