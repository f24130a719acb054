import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Authorizer } from '@fairway/apiserver/auth/user';
import { TracerFake } from '@fairway/base/testing/tracer-fake';
import { afterEach, describe, expect, test } from 'vitest';
import type { AnnounceWrite } from '../../management/announced-write.ts';
import { type FrontBefore, type FrontOptions, frontBefore } from '../../testing/front-before.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: [] };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const EVERYTHING: Authorizer = { authorize: () => ({ allowed: true, reason: '' }) };
const FROM_CLIENT = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'a=b', baggage: 'c=d' };

let front: FrontBefore;
/** What the API server received. */
let heard: IncomingMessage['headers'];
afterEach(() => front[Symbol.asyncDispose]());

async function before(body: string, options: FrontOptions, status = 201): Promise<void> {
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    heard = request.headers;
    await text(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  front = await frontBefore(listener, ALICE, options);
}

async function send(method: string, path = CLUSTERS, headers: Record<string, string> = FROM_CLIENT): Promise<number> {
  const answer = await front.send(path, { method, headers }, method === 'GET' || method === 'DELETE' ? null : '{}');
  await text(answer);
  await front.answered();
  return answer.statusCode ?? 0;
}

const written = (resourceVersion: string, more: object = {}) =>
  JSON.stringify({ ...more, metadata: { name: 'demo', uid: 'u1', resourceVersion } });

test('a write is in the client’s trace, the API server in the write’s, and later reconciles continue it', async () => {
  const tracer = new TracerFake();
  await before(written('7'), { tracer });

  await send('POST');

  expect(tracer.roots).toMatchObject([
    {
      name: 'create clusters.fairway.dev',
      traceId: TRACE,
      holder: 'alice',
      isEnded: true,
      attributes: { 'k8s.namespace.name': 'red', 'http.response.status_code': 201 },
    },
  ]);
  expect(heard['traceparent']).toBe(tracer.roots[0]?.traceparent);
  expect([heard['tracestate'], heard['baggage']]).toEqual([undefined, undefined]);
  expect(tracer.causeOf('u1/7')?.traceId).toBe(TRACE);
});

test('an unrecorded request sends the API server no trace context', async () => {
  await before(written('7'), {});

  await send('POST');

  expect(Object.keys(FROM_CLIENT).filter((name) => heard[name] !== undefined)).toEqual([]);
});

const NOTHING_WRITTEN = [
  { reason: 'a refusal', method: 'POST', status: 409, body: written('7') },
  { reason: 'a read', method: 'GET', status: 200, body: written('7') },
  { reason: 'no object', method: 'DELETE', status: 200, body: JSON.stringify({ kind: 'Status', status: 'Success' }) },
  { reason: 'no JSON', method: 'POST', status: 201, body: 'k8s\0...' },
  { reason: 'more than is kept', method: 'POST', status: 201, body: written('7', { a: 'x'.repeat(300_000) }) },
];
test.each(NOTHING_WRITTEN)('$reason is not linked to reconciles', async ({ method, status, body }) => {
  const tracer = new TracerFake();
  await before(body, { tracer }, status);

  expect(await send(method)).toBe(status);

  expect(tracer.roots).toMatchObject([{ isEnded: true }]);
  expect(tracer.causes.size).toBe(0);
});

test.each(['/apis/%E0%A4%A/v1/%', '/api/v1/namespaces/%00/pods', '/apis//////', `/apis/a/b/${'x'.repeat(8_000)}`])(
  'a malformed path has its span and its answer: %s',
  async (path) => {
    const tracer = new TracerFake();
    await before('{}', { tracer });

    expect(await send('GET', path)).toBeGreaterThan(0);

    expect(tracer.roots).toMatchObject([{ isEnded: true }]);
  },
);

test('reviews, whose path is a secret, have no span', async () => {
  const tracer = new TracerFake();
  await before('{}', { tracer });

  await send('POST', '/admission/secret');

  expect(tracer.roots).toEqual([]);
});

describe('before it is forwarded, other processes are notified of', () => {
  async function told(
    method: string,
    path: string,
    body: string,
    authorizer: Authorizer = EVERYTHING,
  ): Promise<readonly string[]> {
    const announced: string[] = [];
    const announceWrite: AnnounceWrite = async (object, _, isAllowed) => {
      // The API server has not received it yet.
      if ((await isAllowed()) && heard === undefined) announced.push(object);
    };
    heard = undefined as unknown as typeof heard;
    await before(written('7'), { tracer: new TracerFake(), announceWrite, authorizer });
    await text(await front.send(path, { method, headers: FROM_CLIENT }, method === 'GET' ? null : body));
    await front.answered();
    return announced;
  }

  test.each([
    { what: 'an object that is created', method: 'POST', path: CLUSTERS, body: '{"metadata":{"name":"demo"}}' },
    { what: 'one that is changed', method: 'PATCH', path: `${CLUSTERS}/demo`, body: '{}' },
    { what: 'one that is deleted', method: 'DELETE', path: `${CLUSTERS}/demo`, body: '{}' },
  ])('$what', async ({ method, path, body }) => {
    expect(await told(method, path, body)).toEqual(['Cluster/red/demo']);
  });

  test.each([
    { what: 'a read', method: 'GET', path: `${CLUSTERS}/demo`, body: '' },
    { what: 'a name that the server makes', method: 'POST', path: CLUSTERS, body: '{"metadata":{"generateName":"a"}}' },
    { what: 'no JSON', method: 'POST', path: CLUSTERS, body: 'metadata: {name: demo}' },
    { what: 'what is only tried', method: 'PATCH', path: `${CLUSTERS}/demo?dryRun=All`, body: '{}' },
    { what: 'a name too long for an object', method: 'PATCH', path: `${CLUSTERS}/${'x'.repeat(9_000)}`, body: '{}' },
    { what: 'one in a body', method: 'POST', path: CLUSTERS, body: `{"metadata":{"name":"${'x'.repeat(300)}"}}` },
    { what: 'a name that no object has', method: 'PATCH', path: `${CLUSTERS}/%01`, body: '{}' },
    {
      what: 'a namespace that none has',
      method: 'PATCH',
      path: `${CLUSTERS.replace('red', 'x'.repeat(300))}/demo`,
      body: '{}',
    },
  ])('nothing for $what', async ({ method, path, body }) => {
    expect(await told(method, path, body)).toEqual([]);
  });

  test('nothing from users who may not write it: later reconciles are in the trace of someone else', async () => {
    const asked: unknown[] = [];
    const authorizer: Authorizer = {
      authorize: ({ user, ...asks }) => {
        asked.push({ ...asks, user: user.username });
        return { allowed: false, reason: '' };
      },
    };

    expect(await told('PATCH', `${CLUSTERS}/demo/status`, '{}', authorizer)).toEqual([]);
    expect(asked).toMatchObject([
      { user: 'alice', verb: 'patch', resource: 'clusters', subresource: 'status', namespace: 'red', name: 'demo' },
    ]);
  });
});
