import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { RawClient } from '@fairway/apiserver/server/raw-client';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, describe, expect, test } from 'vitest';
import { type ScriptedFrontEnd, startScriptedFrontEnd } from '../../testing/test-front.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: [] };
const MIB = 1024 * 1024;

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of stack.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

interface RunningFrontEnd {
  readonly frontEnd: ScriptedFrontEnd;
  readonly clock: FakeClock;
  /** The API server's requests with their bodies. */
  readonly parsedRequests: string[];
}

async function serve(limits: Partial<ServerLimits> = {}): Promise<RunningFrontEnd> {
  const clock = new FakeClock();
  const parsedRequests: string[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    parsedRequests.push(`${request.method} ${body}`);
    response.end('{}');
  };
  const frontEnd = await startScriptedFrontEnd(listener, ALICE, { limits, clock });
  stack.push(frontEnd);
  return { frontEnd, clock, parsedRequests };
}

/** Starts a POST but sends only `body`, as the user that `headers` impersonate. */
async function begin(
  { frontEnd }: RunningFrontEnd,
  headers: Record<string, string | number>,
  body = '',
): Promise<RawClient> {
  const { port } = new URL(frontEnd.server.url);
  const client = await RawClient.open(Number(port), frontEnd.server.authority.certificatePem);
  stack.push({ [Symbol.asyncDispose]: () => client.close() });
  client.send('POST', CLUSTERS, headers, body);
  return client;
}

async function untilBuffered({ frontEnd }: RunningFrontEnd, bytes: number): Promise<void> {
  while (frontEnd.traffic.inUse('bodyBytes') < bytes) await setImmediate();
}

async function untilReleased({ frontEnd }: RunningFrontEnd): Promise<void> {
  while (frontEnd.traffic.inUse('bodyBytes') > 0) await setImmediate();
}

const emptyRequest = { 'content-length': 2 };
const asBob = { 'impersonate-user': 'bob' };

describe('a body forwarded by the gateway', () => {
  test('costs the API server nothing while it arrives slowly, does not delay other requests, and times out with 408', async () => {
    const served = await serve({ maxMutatingRequests: 1, bodyTimeoutMs: 10_000 });
    const slow = await Promise.all([1, 2, 3].map(() => begin(served, { 'content-length': 1_000 }, '{')));
    await untilBuffered(served, 3);
    const other = await begin(served, { ...emptyRequest, ...asBob }, '{}');
    expect(await other.status()).toBe(200);
    await served.clock.advance(10_000);

    expect(await Promise.all(slow.map((client) => client.status()))).toEqual([408, 408, 408]);
    expect(Object.fromEntries(served.frontEnd.traffic.rejections)).toEqual({ bodyTimeout: 3 });
    expect(served.parsedRequests).toEqual(['POST {}']);
    expect(served.frontEnd.upstream.connections.accepted).toBe(1);
  });

  test('is refused with 413 before it arrives if it is declared as too large', async () => {
    const served = await serve();
    const client = await begin(served, { 'content-length': 3 * MIB + 1 });

    expect(await client.status()).toBe(413);
    expect(served.frontEnd.upstream.connections.accepted).toBe(0);
  });

  test('is refused with 413 as soon as it is too large, and never reaches the API server', async () => {
    const served = await serve({ maxBodyBytes: 1_000 });
    const chunk = `3e9\r\n${'x'.repeat(1_001)}\r\n`;
    const client = await begin(served, { 'transfer-encoding': 'chunked' }, chunk);

    expect(await client.status()).toBe(413);
    expect(served.frontEnd.traffic.inUse('bodyBytes')).toBe(0);
    expect(served.frontEnd.upstream.connections.accepted).toBe(0);
  });

  test('counts against the user’s share: 429 beyond it, while other users continue', async () => {
    const served = await serve({ maxBodyBytesInFlightPerUser: 100 });
    await begin(served, { 'content-length': 1_000 }, 'x'.repeat(99));
    await untilBuffered(served, 99);
    const second = await begin(served, emptyRequest, '{}');
    const other = await begin(served, { ...emptyRequest, ...asBob }, '{}');

    expect(await second.status()).toBe(429);
    expect(second.received).toMatch(/retry-after: 1\r\n/i);
    expect(await other.status()).toBe(200);
  });

  test('counts against a limit for all users', async () => {
    const served = await serve({ maxBodyBytesInFlight: 100 });
    await begin(served, { 'content-length': 1_000 }, 'x'.repeat(99));
    await untilBuffered(served, 99);
    const other = await begin(served, { ...emptyRequest, ...asBob }, '{}');

    expect(await other.status()).toBe(429);
  });

  test('releases its memory if it is interrupted, and the API server receives no partial request', async () => {
    const served = await serve();
    const client = await begin(served, { 'content-length': 1_000 }, '{"half');
    await untilBuffered(served, 6);
    await client.close();
    await untilReleased(served);

    expect(await served.frontEnd.requestArrived()).toEqual([]);
  });

  test('stays within the memory limits with 1 MiB on each of 60 connections', async () => {
    const served = await serve();
    const body = 'x'.repeat(MIB);
    const names = Array.from({ length: 60 }, (_, index) => `user-${index % 6}`);
    let maxBytes = 0;
    const countingListener = setInterval(() => {
      maxBytes = Math.max(maxBytes, served.frontEnd.traffic.inUse('bodyBytes'));
    }, 1);
    const clients = await Promise.all(
      names.map((name) => begin(served, { 'content-length': MIB + 1, 'impersonate-user': name }, body)),
    );
    // The admitted requests are still pending, and all others have been refused.
    const { rejections } = served.frontEnd.traffic;
    const refused = () => (rejections.get('bodyBytes.perHolder') ?? 0) + (rejections.get('bodyBytes.total') ?? 0);
    while (served.frontEnd.traffic.inUse('bodyBytes') + refused() * MIB < 60 * MIB - MIB) await setImmediate();
    clearInterval(countingListener);
    await Promise.all(clients.map((client) => client.close()));
    await untilReleased(served);

    expect(maxBytes).toBeLessThanOrEqual(64 * MIB);
    expect(served.parsedRequests).toEqual([]);
  });
});
