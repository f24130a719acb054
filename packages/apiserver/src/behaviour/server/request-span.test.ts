import { request as httpsRequest } from 'node:https';
import { FakeTracer } from '@fairway/base/testing/tracer-fake';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const tracer = new FakeTracer();
let fixture: HttpsFixture;
beforeAll(async () => {
  fixture = await startHttpsServer({ tracer, anonymous: true });
  await fixture.test.namespace();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => tracer.rootSpans.splice(0));

function send(
  method: string,
  path: string,
  {
    body,
    headers = {},
    token = fixture.token,
  }: { body?: object; headers?: Record<string, string>; token?: string } = {},
): Promise<number | undefined> {
  const { listener, certificateAuthority: ca } = fixture;
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const outgoing = httpsRequest(
    {
      host: '127.0.0.1',
      port: listener.port,
      ca,
      agent: false,
      method,
      path,
      headers: { ...authorization, 'content-type': 'application/json', ...headers },
    },
    (response) => response.resume().once('end', () => resolve(response.statusCode)),
  );
  outgoing.on('error', reject);
  outgoing.end(body && JSON.stringify(body));
  return promise;
}

test("records a span for a write in the client's trace, with its kind and audit ID", async () => {
  const headers = { traceparent: TRACEPARENT, 'audit-id': 'mine-1' };
  await send('POST', MAPS, { body: { metadata: { name: 'a' }, data: { secret: 'hunter2' } }, headers });

  expect(tracer.rootSpans).toMatchObject([
    {
      name: 'create configmaps',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      holder: 'admin',
      isEnded: true,
      attributes: {
        'http.request.method': 'POST',
        'k8s.namespace.name': 'default',
        'audit-id': 'mine-1',
        'http.response.status_code': 201,
      },
    },
  ]);
  expect(JSON.stringify(tracer.rootSpans)).not.toContain('hunter2');
});

test('records a write before watchers see it', async () => {
  tracer.causes.clear();
  await send('POST', MAPS, { body: { metadata: { name: 'b' } } });

  const { body } = await fixture.test.call('GET', `${MAPS}/b`);
  const { uid, resourceVersion } = body.metadata;
  expect(tracer.causeOf(`${uid}/${resourceVersion}`)?.traceId).toBe(tracer.rootSpans[0]?.traceId);
});

test('omits admission from the span of an unauthenticated read', async () => {
  await send('GET', MAPS, { token: '', headers: { traceparent: TRACEPARENT } });

  expect(tracer.rootSpans).toMatchObject([{ name: 'list configmaps', holder: undefined, isEnded: true }]);
});

test('omits admission from the span of a request with an invalid token', async () => {
  const status = await send('GET', MAPS, { token: 'stolen', headers: { traceparent: TRACEPARENT } });

  expect(status).toBe(401);
  expect(tracer.rootSpans).toMatchObject([{ holder: undefined, attributes: { 'http.response.status_code': 401 } }]);
});

test('records no spans for health, discovery, metrics and in-process requests', async () => {
  await send('GET', '/healthz');
  await send('GET', '/openapi/v3');
  await fixture.test.call('GET', MAPS);

  expect(tracer.rootSpans).toEqual([]);
});
