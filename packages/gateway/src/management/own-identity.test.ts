import { systemClock } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { ApiError } from '@fairway/kube/object/api-error';
import { expect, test } from 'vitest';
import { ownIdentity } from './own-identity.ts';

const INSTALLED = 'system:serviceaccount:fairway-system:fairway';

function apiRespondingWith(status: number, body: object): KubeClient {
  const text = JSON.stringify(body);
  const rawResponse = { status, headers: {}, text: () => Promise.resolve(text), async *lines() {} };
  const transport: Transport = { request: () => Promise.resolve(rawResponse), close: () => {} };
  return new KubeClient(transport, { clock: systemClock });
}

function failure(code: number, reason: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: 'no' };
}

test("reports Fairway's identity as the API server returns it", async () => {
  const client = apiRespondingWith(201, { status: { userInfo: { username: 'operator' } } });

  expect(await ownIdentity(client)).toEqual({ usernames: ['operator', INSTALLED], isCertain: true });
});

test.each([
  { code: 404, reason: 'NotFound', why: 'the group exists without the kind' },
  { code: 403, reason: 'Forbidden', why: 'no role of an old server includes the kind' },
])('handles an API server before 1.28 that returns $code: $why', async ({ code, reason }) => {
  expect(await ownIdentity(apiRespondingWith(code, failure(code, reason)))).toEqual({
    usernames: [INSTALLED],
    isCertain: false,
  });
});

test('reports an unknown identity if the API server does not respond', async () => {
  await expect(ownIdentity(apiRespondingWith(500, failure(500, 'InternalError')))).rejects.toThrow(ApiError);
});
