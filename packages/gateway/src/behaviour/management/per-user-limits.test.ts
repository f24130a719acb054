import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { afterEach, describe, expect, test } from 'vitest';
import { type FrontEndOptions, type ScriptedFrontEnd, startScriptedFrontEnd } from '../../testing/test-front.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: [] };
const REQUEST_COUNT = 20;

const running: ScriptedFrontEnd[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each[Symbol.asyncDispose]();
});

interface LimitedWork {
  readonly what: string;
  readonly path: string;
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly limit: keyof ServerLimits;
}

/** Requests that the gateway responds to itself, or that cost the API server a review. */
const cases: readonly LimitedWork[] = [
  { what: 'kubeconfigs', path: `${CLUSTERS}/a/kubeconfig`, method: 'POST', limit: 'maxMutatingRequestsPerUser' },
  { what: 'discovery', path: '/apis', method: 'GET', limit: 'maxReadingRequestsPerUser' },
  {
    what: 'impersonation checks',
    path: CLUSTERS,
    method: 'GET',
    headers: { 'impersonate-user': 'bob' },
    limit: 'maxReadingRequestsPerUser',
  },
];

describe("the gateway's own work for one user", () => {
  test.each(cases)('is limited for $what: 429 beyond the limit', async ({ path, method, headers = {}, limit }) => {
    const gate = Promise.withResolvers<void>();
    let startedCount = 0;
    const hold = async () => {
      startedCount++;
      await gate.promise;
    };
    const options: FrontEndOptions = {
      limits: { [limit]: 2 },
      authorizer: {
        async authorize() {
          await hold();
          return { allowed: true, reason: '' };
        },
      },
      respondToRequest: async () => {
        await hold();
        return { status: 201, headers: { 'content-type': 'application/json' }, body: '{}' };
      },
    };
    const frontEnd = await startScriptedFrontEnd(
      async (_, response) => {
        await hold();
        response.setHeader('content-type', 'application/json').end('{"kind":"APIGroupList","groups":[]}');
      },
      ALICE,
      options,
    );
    running.push(frontEnd);
    const responses = Array.from({ length: REQUEST_COUNT }, () => frontEnd.send(path, { method, headers }));
    const refused: unknown[] = [];
    for (const receivedResponse of responses) {
      void receivedResponse.then(({ statusCode }) => {
        if (statusCode === 429) refused.push(statusCode);
      });
    }
    while (refused.length < REQUEST_COUNT - 2) await setImmediate();
    expect(startedCount).toBe(2);
    gate.resolve();

    const statuses = (await Promise.all(responses)).map(({ statusCode = 0 }) => statusCode);
    expect(statuses.filter((status) => status < 300)).toHaveLength(2);
    expect(await json(await frontEnd.send(path, { method, headers }))).toBeDefined();
  });
});
