import * as oauth from 'oauth4webapi';
import { type PersonContext, SignInError } from '../person.ts';
import type { OidcClient, OidcGrant } from '../sign-in.ts';
import { openLoopback } from './loopback.ts';
import type { Provider } from './provider.ts';
import { issuerFromIdToken, subjectToken } from './token-response.ts';

const SIGN_IN_TIMEOUT_MS = 5 * 60_000;

/**
 * The authorization code flow in a browser on this machine, with PKCE (RFC 7636, 8252), or with a code obtained
 * elsewhere.
 */
export async function tokenByAuthorizationCode(
  provider: Provider,
  { client, redirectUri, code }: Extract<OidcGrant, { kind: 'authorizationCode' }>,
  context: PersonContext,
): Promise<string> {
  if (code !== undefined) {
    const callbackParameters = oauth.validateAuthResponse(
      { issuer: provider.server.issuer },
      provider.client,
      new URLSearchParams({ code }),
      oauth.expectNoState,
    );
    return exchange(provider, client, {
      parameters: callbackParameters,
      redirectUri: redirectUri ?? '',
      verifier: oauth.nopkce,
    });
  }
  const browser = await openLoopback(redirectUri);
  const timer = context.clock.after(SIGN_IN_TIMEOUT_MS, () =>
    browser.giveUp(
      new SignInError('no sign-in was completed in the browser within 5 minutes', { advice: 'start again' }),
    ),
  );
  const stop = (): void => browser.giveUp(context.signal.reason);
  context.signal.addEventListener('abort', stop);
  try {
    const state = oauth.generateRandomState();
    const nonce = client.scope.split(' ').includes('openid') ? oauth.generateRandomNonce() : undefined;
    const verifier = oauth.generateRandomCodeVerifier();
    const url = authorizationUrl(provider, client, {
      redirect_uri: browser.redirectUri,
      state,
      ...(nonce !== undefined && { nonce }),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    context.person.show(`To sign in, open ${url} in a browser on this machine\n`);
    context.person.openBrowser(url);
    const callback = await browser.waitForCallback(state);
    // A provider that is configured only through its endpoints first states its issuer here (RFC 9207).
    const issuer = (provider.isDiscovered ? undefined : callback.get('iss')) ?? provider.server.issuer;
    const parameters = oauth.validateAuthResponse({ ...provider.server, issuer }, provider.client, callback, state);
    return await exchange(provider, client, { parameters, redirectUri: browser.redirectUri, verifier, nonce });
  } finally {
    timer.cancel();
    context.signal.removeEventListener('abort', stop);
    await browser.close();
  }
}

function authorizationUrl(
  { server, client }: Provider,
  { scope }: OidcClient,
  parameters: Readonly<Record<string, string>>,
): string {
  const { authorization_endpoint: endpoint } = server;
  if (endpoint === undefined) {
    throw new SignInError("the provider's discovery document contains no authorization_endpoint", {
      advice: 'use another auth_type, or set the endpoint in clouds.yaml',
    });
  }
  const url = new URL(endpoint);
  const all = { client_id: client.client_id, response_type: 'code', scope, ...parameters };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}

interface Exchange {
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  readonly verifier: string | typeof oauth.nopkce;
  /** Undefined if no ID token is requested. */
  readonly nonce?: string | undefined;
}

async function exchange(
  provider: Provider,
  client: OidcClient,
  { parameters, redirectUri, verifier, nonce }: Exchange,
): Promise<string> {
  const response = await oauth.authorizationCodeGrantRequest(
    provider.server,
    provider.client,
    provider.authentication,
    parameters,
    redirectUri,
    verifier,
    provider.options,
  );
  const named = await issuerFromIdToken(response, provider);
  const expected = nonce === undefined ? {} : { expectedNonce: nonce };
  return subjectToken(client, await oauth.processAuthorizationCodeResponse(named, provider.client, response, expected));
}
