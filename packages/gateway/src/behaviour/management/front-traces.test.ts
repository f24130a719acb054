import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Authorizer } from '@fairway/apiserver/auth/user';
import { FakeTracer } from '@fairway/base/testing/tracer-fake';
import { afterEach, describe, expect, test } from 'vitest';
import type { AnnounceWrite } from '../../management/announced-write.ts';
import { type FrontEndOptions, type ScriptedFrontEnd, startScriptedFrontEnd } from '../../testing/test-front.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: [] };
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const ALLOW_ALL: Authorizer = { authorize: () => ({ allowed: true, reason: '' }) };
const CLIENT_HEADERS = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`, tracestate: 'a=b', baggage: 'c=d' };

let frontEnd: ScriptedFrontEnd;
/** What the API server received. */
let receivedHeaders: IncomingMessage['headers'];
afterEach(() => frontEnd[Symbol.asyncDispose]());

async function startFrontEnd(body: string, options: FrontEndOptions, status = 201): Promise<void> {
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    receivedHeaders = request.headers;
    await text(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  frontEnd = await startScriptedFrontEnd(listener, ALICE, options);
}

async function send(
  method: string,
  path = CLUSTERS,
  headers: Record<string, string> = CLIENT_HEADERS,
): Promise<number> {
  const receivedResponse = await frontEnd.send(
    path,
    { method, headers },
    method === 'GET' || method === 'DELETE' ? null : '{}',
  );
  await text(receivedResponse);
  await frontEnd.requestsFinished();
  return receivedResponse.statusCode ?? 0;
}

const createdObject = (resourceVersion: string, more: object = {}) =>
  JSON.stringify({ ...more, metadata: { name: 'demo', uid: 'u1', resourceVersion } });

test('continues the client’s trace in the gateway, the API server and later reconciles', async () => {
  const tracer = new FakeTracer();
  await startFrontEnd(createdObject('7'), { tracer });

  await send('POST');

  expect(tracer.rootSpans).toMatchObject([
    {
      name: 'create clusters.fairway.dev',
      traceId: TRACE_ID,
      holder: 'alice',
      isEnded: true,
      attributes: { 'k8s.namespace.name': 'red', 'http.response.status_code': 201 },
    },
  ]);
  expect(receivedHeaders['traceparent']).toBe(tracer.rootSpans[0]?.traceparent);
  expect([receivedHeaders['tracestate'], receivedHeaders['baggage']]).toEqual([undefined, undefined]);
  expect(tracer.causeOf('u1/7')?.traceId).toBe(TRACE_ID);
});

test('sends the API server no trace context for a request that is not recorded', async () => {
  await startFrontEnd(createdObject('7'), {});

  await send('POST');

  expect(Object.keys(CLIENT_HEADERS).filter((name) => receivedHeaders[name] !== undefined)).toEqual([]);
});

const EMPTY_INPUT = [
  { reason: 'a refusal', method: 'POST', status: 409, body: createdObject('7') },
  { reason: 'a read', method: 'GET', status: 200, body: createdObject('7') },
  {
    reason: 'a response without an object',
    method: 'DELETE',
    status: 200,
    body: JSON.stringify({ kind: 'Status', status: 'Success' }),
  },
  { reason: 'a response that is not JSON', method: 'POST', status: 201, body: 'k8s\0...' },
  {
    reason: 'a body beyond the size limit',
    method: 'POST',
    status: 201,
    body: createdObject('7', { a: 'x'.repeat(300_000) }),
  },
];
test.each(EMPTY_INPUT)('does not link $reason to reconciles', async ({ method, status, body }) => {
  const tracer = new FakeTracer();
  await startFrontEnd(body, { tracer }, status);

  expect(await send(method)).toBe(status);

  expect(tracer.rootSpans).toMatchObject([{ isEnded: true }]);
  expect(tracer.causes.size).toBe(0);
});

test.each(['/apis/%E0%A4%A/v1/%', '/api/v1/namespaces/%00/pods', '/apis//////', `/apis/a/b/${'x'.repeat(8_000)}`])(
  'records a span and a response for a malformed path: %s',
  async (path) => {
    const tracer = new FakeTracer();
    await startFrontEnd('{}', { tracer });

    expect(await send('GET', path)).toBeGreaterThan(0);

    expect(tracer.rootSpans).toMatchObject([{ isEnded: true }]);
  },
);

test('records no span for reviews, whose path is a secret', async () => {
  const tracer = new FakeTracer();
  await startFrontEnd('{}', { tracer });

  await send('POST', '/admission/secret');

  expect(tracer.rootSpans).toEqual([]);
});

describe('announcement of a write to other processes', () => {
  async function announcedObjects(
    method: string,
    path: string,
    body: string,
    authorizer: Authorizer = ALLOW_ALL,
  ): Promise<readonly string[]> {
    const announced: string[] = [];
    const announceWrite: AnnounceWrite = async (object, _, isAllowed) => {
      // The API server has not received it yet.
      if ((await isAllowed()) && receivedHeaders === undefined) announced.push(object);
    };
    receivedHeaders = undefined as unknown as typeof receivedHeaders;
    await startFrontEnd(createdObject('7'), { tracer: new FakeTracer(), announceWrite, authorizer });
    await text(await frontEnd.send(path, { method, headers: CLIENT_HEADERS }, method === 'GET' ? null : body));
    await frontEnd.requestsFinished();
    return announced;
  }

  test.each([
    { what: 'the creation of an object', method: 'POST', path: CLUSTERS, body: '{"metadata":{"name":"demo"}}' },
    { what: 'the change of an object', method: 'PATCH', path: `${CLUSTERS}/demo`, body: '{}' },
    { what: 'the deletion of an object', method: 'DELETE', path: `${CLUSTERS}/demo`, body: '{}' },
  ])('happens before $what', async ({ method, path, body }) => {
    expect(await announcedObjects(method, path, body)).toEqual(['Cluster/red/demo']);
  });

  test.each([
    { what: 'a read', method: 'GET', path: `${CLUSTERS}/demo`, body: '' },
    { what: 'a generated name', method: 'POST', path: CLUSTERS, body: '{"metadata":{"generateName":"a"}}' },
    { what: 'a body that is not JSON', method: 'POST', path: CLUSTERS, body: 'metadata: {name: demo}' },
    { what: 'a dry run', method: 'PATCH', path: `${CLUSTERS}/demo?dryRun=All`, body: '{}' },
    { what: 'a name too long for an object', method: 'PATCH', path: `${CLUSTERS}/${'x'.repeat(9_000)}`, body: '{}' },
    {
      what: 'a long name in the body',
      method: 'POST',
      path: CLUSTERS,
      body: `{"metadata":{"name":"${'x'.repeat(300)}"}}`,
    },
    { what: 'an invalid name', method: 'PATCH', path: `${CLUSTERS}/%01`, body: '{}' },
    {
      what: 'an invalid namespace',
      method: 'PATCH',
      path: `${CLUSTERS.replace('red', 'x'.repeat(300))}/demo`,
      body: '{}',
    },
  ])('does not happen for $what', async ({ method, path, body }) => {
    expect(await announcedObjects(method, path, body)).toEqual([]);
  });

  test('does not happen for users who may not write the object', async () => {
    const reviewedRequests: unknown[] = [];
    const authorizer: Authorizer = {
      authorize: ({ user, ...accessRequest }) => {
        reviewedRequests.push({ ...accessRequest, user: user.username });
        return { allowed: false, reason: '' };
      },
    };

    expect(await announcedObjects('PATCH', `${CLUSTERS}/demo/status`, '{}', authorizer)).toEqual([]);
    expect(reviewedRequests).toMatchObject([
      { user: 'alice', verb: 'patch', resource: 'clusters', subresource: 'status', namespace: 'red', name: 'demo' },
    ]);
  });
});
