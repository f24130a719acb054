import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { afterEach, describe, expect, test } from 'vitest';
import { type FrontBefore, type FrontOptions, frontBefore } from '../../testing/front-before.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: [] };
const FLOOD = 20;

const running: FrontBefore[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each[Symbol.asyncDispose]();
});

interface Work {
  readonly what: string;
  readonly path: string;
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly limit: keyof ServerLimits;
}

/** Requests that the gateway answers itself, or that cost the API server a review. */
const cases: readonly Work[] = [
  { what: 'kubeconfigs', path: `${CLUSTERS}/a/kubeconfig`, method: 'POST', limit: 'maxMutatingRequestsPerUser' },
  { what: 'discovery', path: '/apis', method: 'GET', limit: 'maxReadingRequestsPerUser' },
  {
    what: 'questions whether one may impersonate',
    path: CLUSTERS,
    method: 'GET',
    headers: { 'impersonate-user': 'bob' },
    limit: 'maxReadingRequestsPerUser',
  },
];

describe("the gateway's own work for one user", () => {
  test.each(cases)('of $what is limited: 429 beyond', async ({ path, method, headers = {}, limit }) => {
    const held = Promise.withResolvers<void>();
    let begun = 0;
    const hold = async () => {
      begun++;
      await held.promise;
    };
    const options: FrontOptions = {
      limits: { [limit]: 2 },
      authorizer: {
        async authorize() {
          await hold();
          return { allowed: true, reason: '' };
        },
      },
      answerRequest: async () => {
        await hold();
        return { status: 201, headers: { 'content-type': 'application/json' }, body: '{}' };
      },
    };
    const front = await frontBefore(
      async (_, response) => {
        await hold();
        response.setHeader('content-type', 'application/json').end('{"kind":"APIGroupList","groups":[]}');
      },
      ALICE,
      options,
    );
    running.push(front);
    const answers = Array.from({ length: FLOOD }, () => front.send(path, { method, headers }));
    const refused: unknown[] = [];
    for (const answer of answers) {
      void answer.then(({ statusCode }) => {
        if (statusCode === 429) refused.push(statusCode);
      });
    }
    while (refused.length < FLOOD - 2) await setImmediate();
    expect(begun).toBe(2);
    held.resolve();

    const statuses = (await Promise.all(answers)).map(({ statusCode = 0 }) => statusCode);
    expect(statuses.filter((status) => status < 300)).toHaveLength(2);
    expect(await json(await front.send(path, { method, headers }))).toBeDefined();
  });
});
