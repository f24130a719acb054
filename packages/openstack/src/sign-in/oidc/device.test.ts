import { FakeClock } from '@fairway/base/clock-fake';
import { advanceUntilSettled } from '@fairway/base/testing/advance-until-settled';
import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { tokenByDevice } from './device.ts';

/** A provider that requires a polling interval, and whose code is never confirmed. */
function provider(interval: number) {
  const requests: string[] = [];
  const respond = (status: number, body: object) => Promise.resolve(Response.json(body, { status }));
  const codes = { device_code: 'd', user_code: 'u', verification_uri: 'https://idp.test/device', expires_in: 600 };
  return {
    asked: requests,
    provider: {
      server: {
        issuer: 'https://idp.test',
        token_endpoint: 'https://idp.test/token',
        device_authorization_endpoint: 'https://idp.test/device',
      },
      client: { client_id: 'fairway' },
      authentication: oauth.None(),
      options: {
        [oauth.customFetch]: (url: string) => {
          requests.push(url);
          return url.endsWith('/device')
            ? respond(200, { ...codes, interval })
            : respond(400, { error: 'authorization_pending' });
        },
        [oauth.allowInsecureRequests]: false,
      },
      isDiscovered: true,
    },
  };
}

test.each([
  { interval: 0.1, most: 600 },
  { interval: 1e9, most: 10 },
])('polls a provider at an interval of $interval s while the code is valid', async ({ interval, most }) => {
  const clock = new FakeClock();
  const { provider: idp, asked } = provider(interval);
  const client = { id: 'fairway', scope: 'openid', tokenType: 'access_token' } as const;
  const context = {
    person: { ask: fail, askSecret: fail, canRead: true, show: () => {}, openBrowser: () => {} },
    clock,
    signal: new AbortController().signal,
  };
  const startMs = clock.now();

  await expect(advanceUntilSettled(clock, tokenByDevice(idp, client, false, context))).rejects.toThrow(
    'not confirmed in time',
  );

  expect(asked.length).toBeLessThanOrEqual(most + 1);
  expect(clock.now() - startMs).toBeLessThan(12 * 60_000);
});

function fail(): Promise<string> {
  return Promise.reject(new Error('nobody is asked'));
}
