import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { RawClient } from '@fairway/apiserver/server/raw-client';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, describe, expect, test } from 'vitest';
import { type ScriptedFrontEnd, startScriptedFrontEnd } from '../../testing/test-front.ts';

const PODS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: ['devs', 'ops'], extra: { 'example.com/scope': ['r'] } };

const running: ScriptedFrontEnd[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each[Symbol.asyncDispose]();
});

async function before(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  limits: Partial<ServerLimits> = {},
): Promise<ScriptedFrontEnd> {
  const frontEnd = await startScriptedFrontEnd(listener, ALICE, { limits });
  running.push(frontEnd);
  return frontEnd;
}

/** An API server that records its requests. */
async function echo(request_: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request_);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method: request_.method, url: request_.url, headers: request_.headersDistinct, body }));
}

describe('a request', () => {
  test('is forwarded unchanged, impersonating the caller', async () => {
    const frontEnd = await before(echo);
    const headers = { 'content-type': 'application/json', 'user-agent': 'kubectl', 'audit-id': 'a-1', accept: 'x/y' };
    const receivedResponse = await frontEnd.send(
      `${PODS}?fieldManager=kubectl&dryRun=All`,
      { method: 'POST', headers },
      '{"a":"ü"}',
    );

    expect(await json(receivedResponse)).toMatchObject({
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

  test('is forwarded without headers that claim another identity or apply only to one connection', async () => {
    const frontEnd = await before(echo);
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
    const { headers: receivedHeaders } = (await json(await frontEnd.send(PODS, { headers }))) as {
      headers: Record<string, string[]>;
    };

    expect(receivedHeaders['authorization']).toEqual(['Bearer the-gateway']);
    expect(receivedHeaders['x-forwarded-for']).toEqual(['192.0.2.1, 127.0.0.1']);
    expect(JSON.stringify(receivedHeaders)).not.toMatch(/root|c3RvbGVu/);
    const strippedHeaders = [
      'cookie',
      'keep-alive',
      'te',
      'upgrade',
      'x-hop',
      'x-real-ip',
      'x-remote-group',
      'x-remote-user',
    ];
    expect(Object.keys(receivedHeaders).filter((name) => strippedHeaders.includes(name))).toEqual([]);
    expect(Object.keys(receivedHeaders)).toContain('audit-id');
  });

  test('is forwarded only on behalf of an impersonated user', async () => {
    const frontEnd = await before(echo);
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': ['x'], 'impersonate-extra-k': 'v' };
    const { headers: receivedHeaders } = (await json(await frontEnd.send(PODS, { headers }))) as {
      headers: Record<string, string[]>;
    };

    expect(receivedHeaders['impersonate-user']).toEqual(['bob']);
    expect(receivedHeaders['impersonate-group']).toEqual(['x', 'system:authenticated']);
    expect(receivedHeaders['impersonate-extra-k']).toEqual(['v']);
    expect(receivedHeaders['impersonate-extra-example.com%2fscope']).toBeUndefined();
  });

  test('is not forwarded if it is refused before authorization', async () => {
    let arrived = 0;
    const frontEnd = await before((_, response) => {
      arrived++;
      response.end();
    });
    const receivedResponse = await frontEnd.send('/api/v1/namespaces/kube-system/secrets');

    expect(receivedResponse.statusCode).toBe(403);
    expect(await json(receivedResponse)).toMatchObject({
      kind: 'Status',
      reason: 'Forbidden',
      message: 'forbidden: secrets of namespace kube-system are not served to tenants',
    });
    expect(arrived).toBe(0);
  });
});

/** UTF-8 bytes, one per character. */
const WARNING = Buffer.from('299 - "no cluster größer"', 'utf8').toString('latin1');

describe('a response', () => {
  test('is returned unchanged: status, headers, bytes', async () => {
    const frontEnd = await before((_, response) => {
      response.writeHead(409, {
        'content-type': 'application/json',
        warning: WARNING,
        'retry-after': '3',
        'x-a': 'b',
      });
      response.end(Buffer.from('{"kind":"Status"}'));
    });
    const receivedResponse = await frontEnd.send(PODS);

    expect([receivedResponse.statusCode, await text(receivedResponse)]).toEqual([409, '{"kind":"Status"}']);
    expect(receivedResponse.headers).toMatchObject({ warning: WARNING, 'retry-after': '3', 'x-a': 'b' });
  });

  test('to a watch begins before any events, and each event arrives immediately', async () => {
    let server: ServerResponse | undefined;
    const frontEnd = await before((_, response) => {
      server = response;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
    });
    const receivedResponse = await frontEnd.send(`${PODS}?watch=true`);
    expect(receivedResponse.statusCode).toBe(200);
    receivedResponse.setEncoding('utf8');

    server?.write('{"type":"ADDED"}\n');
    expect(await once(receivedResponse, 'data')).toEqual(['{"type":"ADDED"}\n']);
    server?.write('{"type":"MODIFIED"}\n');
    expect(await once(receivedResponse, 'data')).toEqual(['{"type":"MODIFIED"}\n']);
  });

  test('is not read from the API server faster than the client reads', async () => {
    const CHUNK = Buffer.alloc(64 * 1024);
    const CHUNKS = 512;
    let bufferedBytes = 0;
    const frontEnd: ScriptedFrontEnd = await before(async (_, response) => {
      for (let sentChunks = 0; sentChunks < CHUNKS; sentChunks++) {
        if (!response.write(CHUNK)) await once(response, 'drain');
        bufferedBytes = Math.max(bufferedBytes, frontEnd.openResponses.at(-1)?.writableLength ?? 0);
      }
      response.end();
    });
    let readBytes = 0;
    for await (const chunk of await frontEnd.send(PODS)) {
      readBytes += (chunk as Buffer).length;
      // A client that reads more slowly than the server writes.
      await setImmediate();
    }

    expect(readBytes).toBe(CHUNKS * CHUNK.length);
    expect(bufferedBytes).toBeLessThan(4 * CHUNK.length);
  });
});

describe('limits per user', () => {
  test.each([
    { what: 'watches', path: `${PODS}?watch=1`, method: 'GET', limits: { maxWatchesPerUser: 1 } },
    { what: 'watches, in any form', path: `${PODS}?watch=yes`, method: 'GET', limits: { maxWatchesPerUser: 1 } },
    { what: 'reads', path: PODS, method: 'GET', limits: { maxReadingRequestsPerUser: 1 } },
    { what: 'writes', path: PODS, method: 'POST', limits: { maxMutatingRequestsPerUser: 1 } },
  ])('apply to $what: 429 until one ends', async ({ path, method, limits }) => {
    const open: ServerResponse[] = [];
    const frontEnd = await before((_, response) => {
      open.push(response);
      response.writeHead(200).flushHeaders();
    }, limits);
    const first = await frontEnd.send(path, { method });
    const refused = await frontEnd.send(path, { method });
    open[0]?.end();
    await text(first);
    const secondTry = await frontEnd.send(path, { method });

    expect([first.statusCode, refused.statusCode, secondTry.statusCode]).toEqual([200, 429, 200]);
    expect(refused.headers['retry-after']).toBe('1');
    for (const response of open) response.end();
  });
});

describe('metrics', () => {
  test('count responses by destination, and watches while they stream', async () => {
    const frontEnd = await before((incoming, response) => {
      response.writeHead(200);
      if (incoming.url?.includes('watch')) response.flushHeaders();
      else response.end();
    });
    const watch = await frontEnd.send(`${PODS}?watch=true`);
    await text(await frontEnd.send(PODS));
    await text(await frontEnd.send('/api/v1/pods'));
    await text(await frontEnd.send('//'));
    expect(await frontEnd.registry.metrics()).toContain('fairway_gateway_watches 1');
    frontEnd.frontEnd.drain();
    await text(watch);
    const ready = await frontEnd.send('/readyz');
    expect([ready.statusCode, await text(ready)]).toEqual([500, expect.stringContaining('[-]shutdown failed')]);
    await frontEnd.server.close();
    const lines = (await frontEnd.registry.metrics())
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

describe('an interrupted connection', () => {
  test('ends pipelined watches at the API server if the client disconnects', async () => {
    const arrived: Promise<unknown>[] = [];
    const bothArrived = Promise.withResolvers<void>();
    const frontEnd = await before((_, response) => {
      response.writeHead(200).flushHeaders();
      if (arrived.push(once(response, 'close')) === 2) bothArrived.resolve();
    });
    const client = await RawClient.open(
      Number(new URL(frontEnd.server.url).port),
      frontEnd.server.authority.certificatePem,
    );
    client.send('GET', `${PODS}?watch=1`);
    client.send('GET', `${PODS}?watch=2`);
    await bothArrived.promise;
    await client.close();
    await Promise.all(arrived);

    expect(frontEnd.traffic.inUse('watches')).toBe(0);
    const metrics = await frontEnd.registry.metrics();
    expect(metrics).toContain('fairway_gateway_watches 0');
    expect(metrics).toMatch(/fairway_gateway_requests_total\{destination="api-server".*\} 2/);
  });

  test('ends a watch at the API server if the client disconnects', async () => {
    const upstreamEnd = Promise.withResolvers<void>();
    const frontEnd = await before((_, response) => {
      response.writeHead(200);
      response.flushHeaders();
      response.once('close', () => upstreamEnd.resolve());
    });
    const receivedResponse = await frontEnd.send(`${PODS}?watch=true`);
    receivedResponse.destroy();

    await expect(upstreamEnd.promise).resolves.toBeUndefined();
  });

  test('shows the client an incomplete response if the API server disconnects', async () => {
    const frontEnd = await before((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"items":[', () => response.destroy());
    });

    await expect(text(await frontEnd.send(PODS))).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('returns 503, which a client retries, if the API server is down', async () => {
    const frontEnd = await before(() => undefined);
    await frontEnd.upstream.close();
    const receivedResponse = await frontEnd.send(PODS, { method: 'POST' }, '{}');

    expect(receivedResponse.statusCode).toBe(503);
    expect(receivedResponse.headers['retry-after'] ?? '').toBe('1');
    expect(await json(receivedResponse)).toMatchObject({
      reason: 'ServiceUnavailable',
      details: { retryAfterSeconds: 1 },
    });
  });

  test.each([
    { method: 'POST', isRepeated: false, reason: 'it may have been executed' },
    { method: 'GET', isRepeated: true, reason: 'it only reads' },
  ])('returns an error if the API server disconnects during a $method: $reason', async ({ method, isRepeated }) => {
    const frontEnd = await before((incoming) => incoming.socket.destroy());
    const receivedResponse = await frontEnd.send(PODS, { method }, method === 'POST' ? '{}' : null);

    expect(receivedResponse.statusCode).toBe(503);
    expect(receivedResponse.headers['retry-after'] !== undefined).toBe(isRepeated);
  });

  test.each(['GET', 'POST'])(
    'returns 504 for a %s if the API server does not respond in time, and releases its slot',
    async (method) => {
      const clock = new FakeClock();
      const arrived = Promise.withResolvers<void>();
      const listener = (incoming: IncomingMessage) => {
        if (incoming.url === PODS) arrived.resolve();
      };
      const frontEnd = await startScriptedFrontEnd(listener, ALICE, { clock });
      running.push(frontEnd);
      const receivedResponse = frontEnd.send(PODS, { method });
      await arrived.promise;
      await clock.advance(75_000);

      const { statusCode } = await receivedResponse;
      await frontEnd.requestsFinished();
      expect(statusCode).toBe(504);
      expect([frontEnd.traffic.inUse('readingRequests'), frontEnd.traffic.inUse('mutatingRequests')]).toEqual([0, 0]);
      expect(clock.pendingTimers).toBe(0);
    },
  );

  test('returns 504 for a console watch if the API server does not respond in time, and releases its slot', async () => {
    const clock = new FakeClock();
    const arrived = Promise.withResolvers<void>();
    const frontEnd = await startScriptedFrontEnd(() => arrived.resolve(), ALICE, { clock });
    running.push(frontEnd);
    const { signal } = new AbortController();
    const opened = frontEnd.frontEnd.openWatch({ bearerToken: 'alice', peer: '' }, `${PODS}?watch=true`, signal);
    const failure = opened.then(undefined, (error: unknown) => error);
    await arrived.promise;
    await clock.advance(75_000);

    expect(await failure).toMatchObject({ code: 504 });
    expect(frontEnd.traffic.inUse('watches')).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test('ends watches as if they had timed out when the gateway stops, and responds to later requests with 503 and Retry-After', async () => {
    const upstreamEnd = Promise.withResolvers<void>();
    const frontEnd = await before((_, response) => {
      response.writeHead(200);
      response.write('{"type":"ADDED"}\n');
      response.once('close', () => upstreamEnd.resolve());
    });
    const receivedResponse = await frontEnd.send(`${PODS}?watch=true`);
    const fullText = text(receivedResponse);
    await once(receivedResponse, 'readable');
    frontEnd.frontEnd.drain();

    expect(await fullText).toBe('{"type":"ADDED"}\n');
    await upstreamEnd.promise;
    const late = await frontEnd.send(PODS);
    expect([late.statusCode, late.headers['retry-after']]).toEqual([503, '1']);
  });
});
