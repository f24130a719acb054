import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { RawClient } from '@fairway/apiserver/server/raw-client';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, describe, expect, test } from 'vitest';
import { type FrontBefore, frontBefore } from '../../testing/front-before.ts';

const PODS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: ['devs', 'ops'], extra: { 'example.com/scope': ['r'] } };

const running: FrontBefore[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each[Symbol.asyncDispose]();
});

async function before(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  limits: Partial<ServerLimits> = {},
): Promise<FrontBefore> {
  const front = await frontBefore(listener, ALICE, { limits });
  running.push(front);
  return front;
}

/** An API server that records its requests. */
async function echo(request_: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request_);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method: request_.method, url: request_.url, headers: request_.headersDistinct, body }));
}

describe('a request', () => {
  test('is forwarded unchanged, impersonating the caller', async () => {
    const front = await before(echo);
    const headers = { 'content-type': 'application/json', 'user-agent': 'kubectl', 'audit-id': 'a-1', accept: 'x/y' };
    const answer = await front.send(
      `${PODS}?fieldManager=kubectl&dryRun=All`,
      { method: 'POST', headers },
      '{"a":"ü"}',
    );

    expect(await json(answer)).toMatchObject({
      method: 'POST',
      url: `${PODS}?fieldManager=kubectl&dryRun=All`,
      body: '{"a":"ü"}',
      headers: {
        accept: ['x/y'],
        authorization: ['Bearer the-gateway'],
        'audit-id': ['a-1'],
        'content-type': ['application/json'],
        'user-agent': ['kubectl'],
        'impersonate-user': ['alice'],
        'impersonate-group': ['devs', 'ops', 'system:authenticated'],
        'impersonate-extra-example.com%2fscope': ['r'],
        'x-forwarded-for': ['127.0.0.1'],
      },
    });
  });

  test('is forwarded without headers that claim another identity, or that concern one connection', async () => {
    const front = await before(echo);
    const headers = {
      authorization: 'Bearer stolen',
      connection: 'close, x-hop',
      cookie: 'a=b',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      upgrade: 'websocket',
      'x-forwarded-for': '192.0.2.1',
      impersonate_user: 'root',
      'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.c3RvbGVu',
      'x-hop': '1',
      'x-real-ip': '192.0.2.9',
      'x-remote-group': 'system:masters',
      'x-remote-user': 'root',
      x_remote_user: 'root',
    };
    const { headers: got } = (await json(await front.send(PODS, { headers }))) as { headers: Record<string, string[]> };

    expect(got['authorization']).toEqual(['Bearer the-gateway']);
    expect(got['x-forwarded-for']).toEqual(['192.0.2.1, 127.0.0.1']);
    expect(JSON.stringify(got)).not.toMatch(/root|c3RvbGVu/);
    const gone = ['cookie', 'keep-alive', 'te', 'upgrade', 'x-hop', 'x-real-ip', 'x-remote-group', 'x-remote-user'];
    expect(Object.keys(got).filter((name) => gone.includes(name))).toEqual([]);
    expect(Object.keys(got)).toContain('audit-id');
  });

  test('that impersonates another user is forwarded in that name only', async () => {
    const front = await before(echo);
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': ['x'], 'impersonate-extra-k': 'v' };
    const { headers: got } = (await json(await front.send(PODS, { headers }))) as { headers: Record<string, string[]> };

    expect(got['impersonate-user']).toEqual(['bob']);
    expect(got['impersonate-group']).toEqual(['x', 'system:authenticated']);
    expect(got['impersonate-extra-k']).toEqual(['v']);
    expect(got['impersonate-extra-example.com%2fscope']).toBeUndefined();
  });

  test('refused before authorization never arrives', async () => {
    let arrived = 0;
    const front = await before((_, response) => {
      arrived++;
      response.end();
    });
    const answer = await front.send('/api/v1/namespaces/kube-system/secrets');

    expect(answer.statusCode).toBe(403);
    expect(await json(answer)).toMatchObject({
      kind: 'Status',
      reason: 'Forbidden',
      message: 'forbidden: secrets of namespace kube-system are not served to tenants',
    });
    expect(arrived).toBe(0);
  });
});

/** As bytes of UTF-8, one per character. */
const WARNING = Buffer.from('299 - "no cluster größer"', 'utf8').toString('latin1');

describe('an answer', () => {
  test('comes back unchanged: status, headers, bytes', async () => {
    const front = await before((_, response) => {
      response.writeHead(409, {
        'content-type': 'application/json',
        warning: WARNING,
        'retry-after': '3',
        'x-a': 'b',
      });
      response.end(Buffer.from('{"kind":"Status"}'));
    });
    const answer = await front.send(PODS);

    expect([answer.statusCode, await text(answer)]).toEqual([409, '{"kind":"Status"}']);
    expect(answer.headers).toMatchObject({ warning: WARNING, 'retry-after': '3', 'x-a': 'b' });
  });

  test('of a watch begins before there are events, and each event arrives immediately', async () => {
    let server: ServerResponse | undefined;
    const front = await before((_, response) => {
      server = response;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
    });
    const answer = await front.send(`${PODS}?watch=true`);
    expect(answer.statusCode).toBe(200);
    answer.setEncoding('utf8');

    server?.write('{"type":"ADDED"}\n');
    expect(await once(answer, 'data')).toEqual(['{"type":"ADDED"}\n']);
    server?.write('{"type":"MODIFIED"}\n');
    expect(await once(answer, 'data')).toEqual(['{"type":"MODIFIED"}\n']);
  });

  test('is not fetched faster than it is read', async () => {
    const CHUNK = Buffer.alloc(64 * 1024);
    const CHUNKS = 512;
    let heldBytes = 0;
    const front: FrontBefore = await before(async (_, response) => {
      for (let sent = 0; sent < CHUNKS; sent++) {
        if (!response.write(CHUNK)) await once(response, 'drain');
        heldBytes = Math.max(heldBytes, front.answers.at(-1)?.writableLength ?? 0);
      }
      response.end();
    });
    let readBytes = 0;
    for await (const chunk of await front.send(PODS)) {
      readBytes += (chunk as Buffer).length;
      // A reader that is slower than the writer.
      await setImmediate();
    }

    expect(readBytes).toBe(CHUNKS * CHUNK.length);
    expect(heldBytes).toBeLessThan(4 * CHUNK.length);
  });
});

describe('limits of one user', () => {
  test.each([
    { what: 'watches', path: `${PODS}?watch=1`, method: 'GET', limits: { maxWatchesPerUser: 1 } },
    { what: 'watches, however asked for,', path: `${PODS}?watch=yes`, method: 'GET', limits: { maxWatchesPerUser: 1 } },
    { what: 'requests that read', path: PODS, method: 'GET', limits: { maxReadingRequestsPerUser: 1 } },
    { what: 'requests that write', path: PODS, method: 'POST', limits: { maxMutatingRequestsPerUser: 1 } },
  ])('of $what is limited: 429, until one ends', async ({ path, method, limits }) => {
    const open: ServerResponse[] = [];
    const front = await before((_, response) => {
      open.push(response);
      response.writeHead(200).flushHeaders();
    }, limits);
    const first = await front.send(path, { method });
    const refused = await front.send(path, { method });
    open[0]?.end();
    await text(first);
    const again = await front.send(path, { method });

    expect([first.statusCode, refused.statusCode, again.statusCode]).toEqual([200, 429, 200]);
    expect(refused.headers['retry-after']).toBe('1');
    for (const response of open) response.end();
  });
});

describe('metrics', () => {
  test('count answers by destination, and watches while they stream', async () => {
    const front = await before((incoming, response) => {
      response.writeHead(200);
      if (incoming.url?.includes('watch')) response.flushHeaders();
      else response.end();
    });
    const watch = await front.send(`${PODS}?watch=true`);
    await text(await front.send(PODS));
    await text(await front.send('/api/v1/pods'));
    await text(await front.send('//'));
    expect(await front.registry.metrics()).toContain('fairway_gateway_watches 1');
    front.front.drain();
    await text(watch);
    const ready = await front.send('/readyz');
    expect([ready.statusCode, await text(ready)]).toEqual([500, expect.stringContaining('[-]shutdown failed')]);
    await front.server.close();
    const lines = (await front.registry.metrics())
      .split('\n')
      .filter((line) => /^fairway_gateway_(req|wat)/.test(line));

    expect(lines.sort()).toEqual([
      'fairway_gateway_requests_total{destination="api-server",code="2xx"} 2',
      'fairway_gateway_requests_total{destination="nowhere",code="4xx"} 1',
      'fairway_gateway_requests_total{destination="route",code="5xx"} 1',
      'fairway_gateway_requests_total{destination="unknown",code="4xx"} 1',
      'fairway_gateway_watches 0',
    ]);
  });
});

describe('a disconnect of either side', () => {
  test('the client: watches that it pipelined end at the API server too', async () => {
    const arrived: Promise<unknown>[] = [];
    const bothArrived = Promise.withResolvers<void>();
    const front = await before((_, response) => {
      response.writeHead(200).flushHeaders();
      if (arrived.push(once(response, 'close')) === 2) bothArrived.resolve();
    });
    const client = await RawClient.open(Number(new URL(front.server.url).port), front.server.authority.certificatePem);
    client.send('GET', `${PODS}?watch=1`);
    client.send('GET', `${PODS}?watch=2`);
    await bothArrived.promise;
    await client.close();
    await Promise.all(arrived);

    expect(front.traffic.inUse('watches')).toBe(0);
    const metrics = await front.registry.metrics();
    expect(metrics).toContain('fairway_gateway_watches 0');
    expect(metrics).toMatch(/fairway_gateway_requests_total\{destination="api-server".*\} 2/);
  });

  test('the client: its watch ends at the API server too', async () => {
    const ended = Promise.withResolvers<void>();
    const front = await before((_, response) => {
      response.writeHead(200);
      response.flushHeaders();
      response.once('close', () => ended.resolve());
    });
    const answer = await front.send(`${PODS}?watch=true`);
    answer.destroy();

    await expect(ended.promise).resolves.toBeUndefined();
  });

  test('the API server, in the middle of its answer: the client can tell that it is incomplete', async () => {
    const front = await before((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"items":[', () => response.destroy());
    });

    await expect(text(await front.send(PODS))).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('the API server is down: 503, which a client retries', async () => {
    const front = await before(() => undefined);
    await front.upstream.close();
    const answer = await front.send(PODS, { method: 'POST' }, '{}');

    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after'] ?? '').toBe('1');
    expect(await json(answer)).toMatchObject({ reason: 'ServiceUnavailable', details: { retryAfterSeconds: 1 } });
  });

  test.each([
    { method: 'POST', isRepeated: false, reason: 'it may have been done' },
    { method: 'GET', isRepeated: true, reason: 'it only reads' },
  ])('the API server goes down while it works on a $method: $reason', async ({ method, isRepeated }) => {
    const front = await before((incoming) => incoming.socket.destroy());
    const answer = await front.send(PODS, { method }, method === 'POST' ? '{}' : null);

    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after'] !== undefined).toBe(isRepeated);
  });

  test.each(['GET', 'POST'])(
    'the API server does not answer a %s: 504 in time, and its slot is free again',
    async (method) => {
      const clock = new FakeClock();
      const arrived = Promise.withResolvers<void>();
      const listener = (incoming: IncomingMessage) => {
        if (incoming.url === PODS) arrived.resolve();
      };
      const front = await frontBefore(listener, ALICE, { clock });
      running.push(front);
      const answer = front.send(PODS, { method });
      await arrived.promise;
      await clock.advance(75_000);

      const { statusCode } = await answer;
      await front.answered();
      expect(statusCode).toBe(504);
      expect([front.traffic.inUse('readingRequests'), front.traffic.inUse('mutatingRequests')]).toEqual([0, 0]);
      expect(clock.pendingTimers).toBe(0);
    },
  );

  test('the API server does not answer a watch opened for the console: 504 in time, and its slot is free again', async () => {
    const clock = new FakeClock();
    const arrived = Promise.withResolvers<void>();
    const front = await frontBefore(() => arrived.resolve(), ALICE, { clock });
    running.push(front);
    const { signal } = new AbortController();
    const opened = front.front.openWatch({ bearerToken: 'alice', peer: '' }, `${PODS}?watch=true`, signal);
    const failure = opened.then(undefined, (error: unknown) => error);
    await arrived.promise;
    await clock.advance(75_000);

    expect(await failure).toMatchObject({ code: 504 });
    expect(front.traffic.inUse('watches')).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test('the gateway: watches end as if timed out, and later requests get 503 with Retry-After', async () => {
    const ended = Promise.withResolvers<void>();
    const front = await before((_, response) => {
      response.writeHead(200);
      response.write('{"type":"ADDED"}\n');
      response.once('close', () => ended.resolve());
    });
    const answer = await front.send(`${PODS}?watch=true`);
    const whole = text(answer);
    await once(answer, 'readable');
    front.front.drain();

    expect(await whole).toBe('{"type":"ADDED"}\n');
    await ended.promise;
    const late = await front.send(PODS);
    expect([late.statusCode, late.headers['retry-after']]).toEqual([503, '1']);
  });
});
