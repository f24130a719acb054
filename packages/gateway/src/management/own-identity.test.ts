import { systemClock } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { ApiError } from '@fairway/kube/object/api-error';
import { expect, test } from 'vitest';
import { ownIdentity } from './own-identity.ts';

const INSTALLED = 'system:serviceaccount:fairway-system:fairway';

function apiThatAnswers(status: number, body: object): KubeClient {
  const text = JSON.stringify(body);
  const answer = { status, headers: {}, text: () => Promise.resolve(text), async *lines() {} };
  const transport: Transport = { request: () => Promise.resolve(answer), close: () => {} };
  return new KubeClient(transport, { clock: systemClock });
}

function failure(code: number, reason: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: 'no' };
}

test("Fairway's identity is what the API server reports", async () => {
  const client = apiThatAnswers(201, { status: { userInfo: { username: 'operator' } } });

  expect(await ownIdentity(client)).toEqual({ usernames: ['operator', INSTALLED], isCertain: true });
});

test.each([
  { code: 404, reason: 'NotFound', why: 'the group is served without the kind' },
  { code: 403, reason: 'Forbidden', why: 'no role of an old server names the kind' },
])('an API server before 1.28 answers $code: $why', async ({ code, reason }) => {
  expect(await ownIdentity(apiThatAnswers(code, failure(code, reason)))).toEqual({
    usernames: [INSTALLED],
    isCertain: false,
  });
});

test("without an answer of the API server, Fairway's identity is unknown", async () => {
  await expect(ownIdentity(apiThatAnswers(500, failure(500, 'InternalError')))).rejects.toThrow(ApiError);
});
