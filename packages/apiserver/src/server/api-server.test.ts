import { unauthorized } from '@fairway/kube/object/api-error';
import { expect, it } from 'vitest';
import type { Authenticator, Credentials } from '../auth/user.ts';
import { admin, TestServer } from './test-server.ts';

const token: Authenticator = {
  authenticate: ({ bearerToken }) =>
    bearerToken === 'right' ? Promise.resolve(admin) : Promise.reject(unauthorized()),
};

it('checks the credentials of an in-process client on each request', async () => {
  const { server } = new TestServer({ authenticators: [token] });
  let credentials: Credentials = { bearerToken: 'right' };
  const transport = server.connect(() => credentials);
  const requestStatus = async () => (await transport.request({ method: 'GET', path: '/version' })).status;
  expect(await requestStatus()).toBe(200);
  credentials = { bearerToken: 'wrong' };
  expect(await requestStatus()).toBe(401);
  credentials = { bearerToken: 'right' };
  expect(await requestStatus()).toBe(200);
  await server.close();
  expect(await requestStatus()).toBe(503);
});
