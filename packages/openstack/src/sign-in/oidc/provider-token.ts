import * as oauth from 'oauth4webapi';
import type { HttpTransport } from '../../http/transport.ts';
import { type PersonContext, SignInError } from '../person.ts';
import type { OidcClient, OidcGrant } from '../sign-in.ts';
import { tokenByAuthorizationCode } from './authorization-code.ts';
import { tokenByDevice } from './device.ts';
import { explained, openProvider, type Provider } from './provider.ts';
import { issuerFromIdToken, subjectToken } from './token-response.ts';
import { transportFetch } from './transport-fetch.ts';

export interface ProviderContext extends PersonContext {
  readonly transport: HttpTransport;
}

/** Returns an identity provider's token that Keystone accepts. Throws a SignInError. */
export async function providerToken(grant: OidcGrant, context: ProviderContext): Promise<string> {
  if (grant.kind === 'accessToken') return grant.accessToken;
  const { person, clock, signal } = context;
  const isBrowser = grant.kind === 'device' || (grant.kind === 'authorizationCode' && grant.code === undefined);
  if (isBrowser && !person.canRead) {
    throw new SignInError('this sign-in needs a browser, but the session is not interactive', {
      advice:
        'run "fairway auth login" with the same options on a terminal first: the token is stored until it expires',
    });
  }
  const fetch = transportFetch(context.transport, clock, signal);
  const provider = await openProvider(grant.client, fetch, Math.round((clock.now() - Date.now()) / 1000));
  try {
    switch (grant.kind) {
      case 'clientCredentials':
        return await tokenByClientCredentials(provider, grant.client);
      case 'password': {
        const password = grant.password ?? (await person.askSecret(`Password of ${grant.username}: `));
        return await tokenByPassword(provider, grant.client, { username: grant.username, password });
      }
      case 'device':
        return await tokenByDevice(provider, grant.client, grant.withChallenge, context);
      case 'authorizationCode':
        return await tokenByAuthorizationCode(provider, grant, context);
    }
  } catch (error) {
    throw explained(error);
  }
}

async function tokenByClientCredentials(provider: Provider, client: OidcClient): Promise<string> {
  const { server, client: id, authentication, options } = provider;
  const scope = { scope: client.scope };
  const response = await oauth.clientCredentialsGrantRequest(server, id, authentication, scope, options);
  const named = await issuerFromIdToken(response, provider);
  return subjectToken(client, await oauth.processClientCredentialsResponse(named, id, response));
}

async function tokenByPassword(
  provider: Provider,
  client: OidcClient,
  login: { readonly username: string; readonly password: string },
): Promise<string> {
  const { server, client: id, authentication, options } = provider;
  const parameters = { ...login, scope: client.scope };
  const response = await oauth.genericTokenEndpointRequest(server, id, authentication, 'password', parameters, options);
  const named = await issuerFromIdToken(response, provider);
  return subjectToken(client, await oauth.processGenericTokenEndpointResponse(named, id, response));
}
