import { FakeClock } from '@fairway/base/clock-fake';
import { unauthorized } from '@fairway/kube/object/api-error';
import { afterEach, describe, expect, it } from 'vitest';
import type { Authenticator, Authorizer } from '../../auth/user.ts';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';
import type { ServerLimits } from '../../server/limits.ts';
import { RawClient } from '../../server/raw-client.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const byName: Authenticator = {
  authenticate({ bearerToken }) {
    if (bearerToken === 'stranger') return Promise.reject(unauthorized());
    return Promise.resolve(bearerToken === undefined ? undefined : { username: bearerToken, groups: [] });
  },
};

/** Allows everything except for one user. */
const denyMallory: Authorizer = {
  authorize: ({ user }) => ({ allowed: user.username !== 'mallory', reason: '' }),
};

describe('a body', () => {
  const clients: RawClient[] = [];
  const clock = new FakeClock();
  let fixture: HttpsFixture | undefined;

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await fixture?.[Symbol.asyncDispose]();
  });

  async function serve(limits: Partial<ServerLimits> = {}): Promise<HttpsFixture> {
    fixture = await startHttpsServer({ clock, limits, authenticators: [byName], authorizer: denyMallory });
    await fixture.test.namespace();
    return fixture;
  }

  /** Begins a POST that sends only `body`. */
  async function begin(
    { listener, certificateAuthority }: HttpsFixture,
    name: string,
    { body, ...headers }: Record<string, string | number>,
  ): Promise<RawClient> {
    const client = await RawClient.open(listener.port, certificateAuthority);
    clients.push(client);
    client.send('POST', maps, { authorization: `Bearer ${name}`, 'content-type': JSON_TYPE, ...headers }, String(body));
    return client;
  }

  it.each([
    { name: 'stranger', status: 401 },
    { name: 'mallory', status: 403 },
  ])(
    'is rejected with $status immediately if it comes from $name and never ends, and the connection is closed',
    async (testCase) => {
      const served = await serve();
      const client = await begin(served, testCase.name, { 'transfer-encoding': 'chunked', body: '1\r\nx\r\n' });
      const status = await client.status();
      await clock.advance(1_000);
      await client.closed;

      expect(status).toBe(testCase.status);
      expect(served.test.server.traffic.inUse('bodyBytes')).toBe(0);
    },
  );

  it.each([
    { name: 'stranger', status: 401 },
    { name: 'mallory', status: 403 },
    { name: 'alice', status: 400, reason: 'the body is decoded last' },
  ])(
    'is rejected with $status if it comes from $name and is not Protobuf despite its Content-Type',
    async ({ name, status }) => {
      const served = await serve();
      const client = await begin(served, name, { 'content-type': PROTOBUF, 'content-length': 4, body: 'none' });

      expect(await client.status()).toBe(status);
    },
  );

  it('is rejected with 408 if it does not arrive in time', async () => {
    const served = await serve({ bodyTimeoutMs: 10_000 });
    const client = await begin(served, 'alice', { 'content-length': 1_000, body: '{' });
    const { traffic } = served.test.server;
    while (traffic.inUse('bodyBytes') === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(10_000);

    expect(await client.status()).toBe(408);
    expect(Object.fromEntries(traffic.rejections)).toEqual({ bodyTimeout: 1 });
    expect(traffic.inUse('bodyBytes')).toBe(0);
  });

  it('is rejected with 413 before it is read if its Content-Length is too large', async () => {
    const served = await serve();
    const client = await begin(served, 'alice', { 'content-length': 3 * 1024 * 1024 + 1, body: '' });

    expect(await client.status()).toBe(413);
  });

  it('is rejected with 413 if it exceeds the limit while being read', async () => {
    const served = await serve({ maxBodyBytes: 1_000 });
    const chunk = `3e9\r\n${'x'.repeat(1_001)}\r\n`;
    const client = await begin(served, 'alice', { 'transfer-encoding': 'chunked', body: chunk });

    expect(await client.status()).toBe(413);
  });

  it('is rejected with 415 if it is compressed, since its size is unknown', async () => {
    const served = await serve();
    const client = await begin(served, 'alice', { 'content-encoding': 'gzip', 'content-length': 4, body: 'none' });

    expect(await client.status()).toBe(415);
  });

  it("counts against its user until the response is sent; beyond that user's share, requests get 429, while other users are still served", async () => {
    const served = await serve({ maxBodyBytesInFlightPerUser: 100 });
    const { traffic } = served.test.server;
    await begin(served, 'alice', { 'content-length': 1_000, body: 'x'.repeat(90) });
    while (traffic.inUse('bodyBytes') < 90) await new Promise((resolve) => setImmediate(resolve));
    const text = JSON.stringify({ metadata: { name: 'a' } });
    const second = await begin(served, 'alice', { 'content-length': text.length, body: text });
    const other = await begin(served, 'bob', { 'content-length': text.length, body: text });

    expect(await second.status()).toBe(429);
    expect(second.received).toMatch(/retry-after: 1\r\n/i);
    expect(await other.status()).toBe(201);
    while (traffic.inUse('bodyBytes') > 90) await new Promise((resolve) => setImmediate(resolve));
    expect(traffic.inUse('bodyBytes')).toBe(90);
  });

  it('also counts against a total limit', async () => {
    const served = await serve({ maxBodyBytesInFlight: 100 });
    const { traffic } = served.test.server;
    await begin(served, 'alice', { 'content-length': 1_000, body: 'x'.repeat(90) });
    while (traffic.inUse('bodyBytes') < 90) await new Promise((resolve) => setImmediate(resolve));
    const text = JSON.stringify({ metadata: { name: 'a' } });
    const other = await begin(served, 'bob', { 'content-length': text.length, body: text });

    expect(await other.status()).toBe(429);
  });
});
