import * as oauth from 'oauth4webapi';
import { type PersonContext, SignInError } from '../person.ts';
import type { OidcClient } from '../sign-in.ts';
import type { Provider } from './provider.ts';
import { issuerFromIdToken, subjectToken } from './token-response.ts';
import { NoResponseError } from './transport-fetch.ts';

/** The interval of RFC 8628 if the provider specifies none, and the increase after `slow_down`. */
const INTERVAL_SECONDS = 5;
/** Limits the lifetime of a code from the provider. */
const MAX_SECONDS = 15 * 60;
const MAX_INTERVAL_SECONDS = 60;
const MIN_INTERVAL_SECONDS = 1;

/** The device flow (RFC 8628): a person confirms a code in any browser while this client polls the provider. */
export async function tokenByDevice(
  provider: Provider,
  client: OidcClient,
  withChallenge: boolean,
  { person, clock, signal }: PersonContext,
): Promise<string> {
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const deviceResponse = await oauth.deviceAuthorizationRequest(
    provider.server,
    provider.client,
    provider.authentication,
    { scope: client.scope, ...(withChallenge && { code_challenge: challenge, code_challenge_method: 'S256' }) },
    provider.options,
  );
  const device = await oauth.processDeviceAuthorizationResponse(provider.server, provider.client, deviceResponse);
  const at = device.verification_uri_complete ?? device.verification_uri;
  person.show(`To sign in, open ${device.verification_uri} and enter the code ${device.user_code}\n`);
  if (device.verification_uri_complete !== undefined) person.show(`or open ${at}\n`);
  person.openBrowser(at);

  const endMs = clock.now() + Math.min(device.expires_in, MAX_SECONDS) * 1000;
  const extra = withChallenge ? { additionalParameters: { code_verifier: verifier } } : {};
  const intervalSeconds = Math.min(device.interval ?? INTERVAL_SECONDS, MAX_INTERVAL_SECONDS);
  for (let seconds = Math.max(intervalSeconds, MIN_INTERVAL_SECONDS); ; ) {
    await clock.sleep(seconds * 1000, signal);
    if (clock.now() >= endMs) throw new SignInError('the code was not confirmed in time', { advice: 'start again' });
    try {
      const response = await oauth.deviceCodeGrantRequest(
        provider.server,
        provider.client,
        provider.authentication,
        device.device_code,
        { ...provider.options, ...extra },
      );
      const named = await issuerFromIdToken(response, provider);
      return subjectToken(client, await oauth.processDeviceCodeResponse(named, provider.client, response));
    } catch (error) {
      const code = error instanceof oauth.ResponseBodyError ? error.error : undefined;
      if (code === 'slow_down') seconds += INTERVAL_SECONDS;
      else if (error instanceof NoResponseError) seconds = Math.min(seconds * 2, MAX_INTERVAL_SECONDS);
      else if (code !== 'authorization_pending') throw error;
    }
  }
}
