import { FakeClock } from '@fairway/base/clock-fake';
import { FencedError, runUnderGrant } from '@fairway/base/fence';
import { type FakeSpan, FakeTracer } from '@fairway/base/testing/tracer-fake';
import { inSpan } from '@fairway/base/tracing';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { Budget } from '../../http/budget.ts';
import { type HttpCall, HttpClient } from '../../http/http-client.ts';
import { OpenStackMetrics } from '../../http/metrics.ts';
import type { OpenStackError } from '../../http/openstack-error.ts';
import type { HttpMethod } from '../../http/transport.ts';
import { type Behaviour, FakeServer, type ReceivedRequest } from '../../testing/fake-server.ts';

describe('HttpClient', () => {
  let server: FakeServer;
  let clock: FakeClock;
  let registry: Registry;

  afterEach(() => server.close());

  async function start(respond: (request: ReceivedRequest, index: number) => Behaviour, options = {}) {
    clock = new FakeClock();
    registry = new Registry();
    server = new FakeServer(respond);
    const url = await server.listen();
    const client = new HttpClient({
      cloud: 'test',
      transport: server.transport,
      clock,
      random: () => 0.5,
      budget: new Budget(clock),
      metrics: new OpenStackMetrics(registry),
      uuid: () => 'ours',
      ...options,
    });
    return (method: HttpMethod, call: Partial<HttpCall> = {}) =>
      client.call({ service: 'compute', method, url: `${url}/servers`, template: '/servers', ...call });
  }

  async function failure(call: Promise<unknown>): Promise<OpenStackError> {
    return server.run(
      clock,
      call.then(
        () => {
          throw new Error('expected the call to fail');
        },
        (error: OpenStackError) => error,
      ),
    );
  }

  it.each<{ reason: string; method: HttpMethod; isReading?: boolean; sent: number }>([
    { reason: 'the grant is checked again when a write is retried', method: 'POST', sent: 1 },
    { reason: 'an idempotent write needs a grant too', method: 'DELETE', sent: 1 },
    { reason: 'a read needs no grant', method: 'GET', sent: 2 },
    { reason: 'a token request needs no grant', method: 'POST', isReading: true, sent: 2 },
  ])('checks the grant: $reason', async ({ method, isReading = false, sent }) => {
    let isGranted = true;
    const send = await start((_, index) => {
      isGranted = false;
      return index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : {};
    });
    const grant = { subject: 'team/demo', isValid: () => isGranted };
    const call = runUnderGrant(grant, () => send(method, { isReading }));
    const outcome = await server.run(
      clock,
      call.catch((error: unknown) => error),
    );

    expect(server.requests).toHaveLength(sent);
    expect(outcome instanceof FencedError).toBe(sent === 1);
  });

  it.each<{ reason: string; method: HttpMethod; responses: Behaviour[]; attempts: number; succeeds: boolean }>([
    { reason: 'a GET has no effects', method: 'GET', responses: [{ status: 500 }, {}], attempts: 2, succeeds: true },
    { reason: 'a GET has no effects', method: 'GET', responses: ['reset', {}], attempts: 2, succeeds: true },
    { reason: 'DELETE is idempotent', method: 'DELETE', responses: ['reset', {}], attempts: 2, succeeds: true },
    {
      reason: 'behind a proxy it is unknown whether Nova did it',
      method: 'POST',
      responses: [{ status: 502 }],
      attempts: 1,
      succeeds: false,
    },
    {
      reason: 'the connection broke after the request',
      method: 'POST',
      responses: ['reset'],
      attempts: 1,
      succeeds: false,
    },
    {
      reason: 'a 503 alone does not mean that nothing was done',
      method: 'POST',
      responses: [{ status: 503 }],
      attempts: 1,
      succeeds: false,
    },
    {
      reason: 'a 503 with Retry-After means that nothing was done',
      method: 'POST',
      responses: [{ status: 503, headers: { 'retry-after': '3' } }, {}],
      attempts: 2,
      succeeds: true,
    },
    { reason: 'rate-limited', method: 'POST', responses: [{ status: 429 }, {}], attempts: 2, succeeds: true },
    {
      reason: 'a retry would fail the same way',
      method: 'GET',
      responses: [{ status: 400 }],
      attempts: 1,
      succeeds: false,
    },
    {
      reason: 'a retry of 501 Not Implemented would fail the same way',
      method: 'GET',
      responses: [{ status: 501 }],
      attempts: 1,
      succeeds: false,
    },
    { reason: 'the limit is four', method: 'GET', responses: [{ status: 500 }], attempts: 4, succeeds: false },
  ])('$method sends $attempts requests: $reason', async ({ method, responses, attempts, succeeds }) => {
    const send = await start((_, index) => responses[index] ?? responses[0] ?? {});

    const call = send(method).then(
      () => true,
      () => false,
    );

    expect(await server.run(clock, call)).toBe(succeeds);
    expect(server.requests).toHaveLength(attempts);
  });

  it.each([
    { reason: 'in seconds', header: '7', waitsMs: 7_000 },
    { reason: 'given as a date', header: 'Thu, 01 Jan 2026 00:00:30 GMT', waitsMs: 30_000 },
  ])('honors Retry-After $reason', async ({ header, waitsMs }) => {
    const send = await start((_, index) => (index === 0 ? { status: 429, headers: { 'retry-after': header } } : {}));
    const startMs = clock.now();

    await server.run(clock, send('POST', { body: {} }));

    expect(clock.now() - startMs).toBe(waitsMs + 100);
  });

  it('does not wait beyond the total timeout, and reports the Retry-After', async () => {
    const send = await start(() => ({ status: 429, headers: { 'retry-after': '3600' } }));

    const error = await failure(send('GET'));

    expect(server.requests).toHaveLength(1);
    expect(error).toMatchObject({ kind: 'rateLimited', retryAfterMs: 3_600_000, retryable: true, outcome: 'notDone' });
  });

  it('does not retry a POST that timed out, and reports an unknown outcome', async () => {
    const send = await start(() => 'hang');
    const call = failure(send('POST', { body: { server: {} } }));
    await server.received(1);

    await clock.advance(60_000);

    expect(await call).toMatchObject({ kind: 'timeout', outcome: 'unknown', status: undefined, retryable: true });
    expect(server.requests).toHaveLength(1);
  });

  it('repeats a GET that timed out', async () => {
    const send = await start((_, index) => (index === 0 ? 'hang' : { body: { servers: [] } }));
    const call = send('GET');
    await server.received(1);

    await clock.advance(60_000);

    expect((await server.run(clock, call)).body).toBe('{"servers":[]}');
  });

  it('repeats a POST that never had a connection', async () => {
    const send = await start(() => ({}));
    const [, port] = /:(\d+)$/.exec(await closedPort()) ?? [];

    const error = await failure(send('POST', { url: `http://127.0.0.1:${port}/servers` }));

    expect(error).toMatchObject({ kind: 'network', outcome: 'notDone' });
    expect(await registry.metrics()).toContain(
      'fairway_openstack_retries_total{cloud="test",service="compute",reason="network"} 3',
    );
  });

  it('aborts with its caller', async () => {
    const send = await start(() => 'hang');
    const abort = new AbortController();
    const call = send('GET', { signal: abort.signal });
    await server.received(1);

    abort.abort(new Error('stopping'));

    await expect(call).rejects.toThrow('stopping');
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends one global request id with all attempts and reports the service’s own', async () => {
    const send = await start((_, index) => ({
      status: 500,
      headers: { 'x-openstack-request-id': `req-theirs-${index}` },
      body: { computeFault: { code: 500, message: 'Unexpected API Error.' } },
    }));

    const error = await failure(send('GET'));

    const ids = server.requests.map((request) => request.headers['x-openstack-request-id']);
    expect(new Set(ids)).toEqual(new Set(['req-ours']));
    expect(error.requestId).toBe('req-theirs-3');
    expect(error.message).toBe('compute GET /servers: 500 unavailable: Unexpected API Error. (req-theirs-3)');
  });

  it('counts every attempt by service, method, documented path and status class', async () => {
    const send = await start((_, index) => ({ status: index === 0 ? 503 : 200 }));

    await server.run(clock, send('GET'));

    const metrics = await registry.metrics();
    const labels = 'cloud="test",service="compute",method="GET",resource="/servers"';
    expect(metrics).toContain(`fairway_openstack_requests_total{${labels},code="5xx"} 1`);
    expect(metrics).toContain(`fairway_openstack_requests_total{${labels},code="2xx"} 1`);
    expect(metrics).toContain(
      'fairway_openstack_request_duration_seconds_count{cloud="test",service="compute",method="GET"} 2',
    );
  });

  it('creates one span for all attempts, with the service’s request ids', async () => {
    const tracer = new FakeTracer();
    const around = tracer.work('reconcile machine', [], {});
    const send = await start((_, index) =>
      index === 0
        ? { status: 429, headers: { 'retry-after': '1' } }
        : { headers: { 'x-openstack-request-id': 'req-theirs' } },
    );
    const call = { template: '/servers/{id}', project: 'p1' };

    await server.run(
      clock,
      inSpan(around, () => send('GET', { ...call, headers: { 'x-auth-token': 'gAAAAA' } })),
    );

    const [span] = tracer.rootSpans[0]?.children ?? [];
    expect(span).toMatchObject({
      name: 'GET /servers/{id}',
      isEnded: true,
      attributes: {
        'openstack.cloud': 'test',
        'openstack.service': 'compute',
        'openstack.project_id': 'p1',
        'openstack.request_id': 'req-theirs',
        'url.template': '/servers/{id}',
        'http.response.status_code': 200,
        'http.request.resend_count': 1,
      },
    });
    expect(JSON.stringify(span)).not.toContain('gAAAAA');
    expect(server.requests.map(({ headers }) => headers['traceparent'])).toEqual([
      span?.traceparent,
      span?.traceparent,
    ]);
  });

  it('records the result of a failed call in its span, without the service’s message', async () => {
    const around = new FakeTracer().work('reconcile machine', [], {}) as FakeSpan;
    const send = await start(() => ({ status: 403, body: { forbidden: { message: 'Quota exceeded for hunter2' } } }));

    await failure(inSpan(around, () => send('POST')));

    expect(around.children).toMatchObject([{ attributes: { 'error.type': 'quotaExceeded' }, isEnded: true }]);
    expect(JSON.stringify(around.children)).not.toContain('hunter2');
  });

  it('times out in the queue of its own budget without having sent anything', async () => {
    const budget = new Budget(new FakeClock(), { requestsPerMinute: 1, burst: 0, concurrent: 1 });
    const send = await start(() => ({}), { budget });

    const error = await failure(send('POST'));

    expect(error).toMatchObject({ kind: 'rateLimited', outcome: 'notDone' });
    expect(error.message).toContain("Fairway's budget for the cloud test is used up");
    expect(server.requests).toHaveLength(0);
  });

  async function closedPort(): Promise<string> {
    const other = new FakeServer(() => ({}));
    const url = await other.listen();
    await other.close();
    return url;
  }
});
