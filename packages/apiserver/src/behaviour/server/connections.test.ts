import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, describe, expect, it } from 'vitest';
import type { Authenticator } from '../../auth/user.ts';
import type { ApiServerOptions } from '../../server/api-server.ts';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';
import type { ServerLimits } from '../../server/limits.ts';
import { RawClient } from '../../server/raw-client.ts';

const maps = '/api/v1/namespaces/default/configmaps';

/** Uses the token as the user name. */
const byName: Authenticator = {
  authenticate: ({ bearerToken }) =>
    Promise.resolve(bearerToken === undefined ? undefined : { username: bearerToken, groups: [] }),
};

describe('connections', () => {
  const clients: RawClient[] = [];
  const clock = new FakeClock();
  let fixture: HttpsFixture | undefined;

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await fixture?.[Symbol.asyncDispose]();
  });

  async function serve(limits: Partial<ServerLimits>, options: Partial<ApiServerOptions> = {}): Promise<HttpsFixture> {
    fixture = await startHttpsServer({ clock, limits, authenticators: [byName], ...options });
    await fixture.test.namespace();
    return fixture;
  }

  async function connect({ listener, certificateAuthority }: HttpsFixture, address?: string): Promise<RawClient> {
    const client = await RawClient.open(listener.port, certificateAuthority, address);
    clients.push(client);
    return client;
  }

  async function sendRequest(served: HttpsFixture, name?: string): Promise<RawClient> {
    const client = await connect(served);
    client.send('GET', `${maps}/none`, name === undefined ? {} : { authorization: `Bearer ${name}` });
    await client.until('\r\n\r\n');
    return client;
  }

  function rejections({ test }: HttpsFixture): Record<string, number> {
    return Object.fromEntries(test.server.traffic.rejections);
  }

  it("without authentication are closed at the per-address limit, towards which users' connections do not count", async () => {
    const served = await serve({ maxUnauthenticatedConnectionsPerAddress: 2 });
    const users = [await sendRequest(served, 'alice'), await sendRequest(served, 'bob')];
    const otherClients = [await connect(served), await connect(served)];
    const refused = await connect(served);
    await refused.closed;

    expect(otherClients.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
    expect(await Promise.all(users.map((user) => user.status()))).toEqual([404, 404]);
    expect(rejections(served)).toEqual({ 'unauthenticatedConnections.perHolder': 1 });
    expect(served.test.server.traffic.inUse('connections')).toBe(4);
  });

  it('are the first to be closed at the total limit if their address has the most', async () => {
    const served = await serve({ maxUnauthenticatedConnections: 3 });
    const [first, second, third] = [await connect(served), await connect(served), await connect(served)];
    const other = await connect(served, '127.0.0.2');
    await first.closed;
    const fourth = await connect(served);
    await fourth.closed;

    expect([second, third, other].map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
    expect(served.test.server.traffic.inUse('unauthenticatedConnections')).toBe(3);
  });

  it('are accepted again once another connection ends', async () => {
    const served = await serve({ maxUnauthenticatedConnectionsPerAddress: 1 });
    const { traffic } = served.test.server;
    const alice = await sendRequest(served, 'alice');
    const otherClient = await connect(served);
    await otherClient.close();
    // The server notices later than the client that the connection was closed.
    while (traffic.inUse('connections') > 1) await new Promise((resolve) => setImmediate(resolve));

    expect(await (await sendRequest(served, 'bob')).status()).toBe(404);
    expect(alice.socket.destroyed).toBe(false);
  });

  it('are refused at the total limit', async () => {
    const served = await serve({ maxConnections: 1 });
    await sendRequest(served, 'alice');
    const refused = await connect(served);
    await refused.closed;

    expect(rejections(served)).toEqual({ 'connections.total': 1 });
  });

  it("get 429 and are closed at their user's limit", async () => {
    const served = await serve({ maxConnectionsPerUser: 1 });
    await sendRequest(served, 'alice');
    const second = await sendRequest(served, 'alice');
    await second.closed;

    expect(await second.status()).toBe(429);
    expect(second.received).toMatch(/retry-after: 1\r\n/i);
    expect(second.received).toContain('maxConnectionsPerUser');
    expect(await (await sendRequest(served, 'bob')).status()).toBe(404);
  });

  it('are closed if they do not authenticate in time, even after a 401', async () => {
    const served = await serve({ unauthenticatedTimeoutMs: 30_000 });
    const alice = await sendRequest(served, 'alice');
    const silent = await connect(served);
    const refused = await sendRequest(served);
    await clock.advance(35_000);
    await Promise.all([silent.closed, refused.closed]);

    expect(await refused.status()).toBe(401);
    expect(alice.socket.destroyed).toBe(false);
    expect(rejections(served)).toEqual({ unauthenticatedTimeout: 2 });
  });

  it('are closed if they do not read a large response', async () => {
    const served = await serve({ stallTimeoutMs: 30_000 });
    for (let index = 0; index < 16; index++) {
      const body = { metadata: { name: `large-${index}` }, data: { x: 'x'.repeat(1_000_000) } };
      await served.test.call('POST', maps, body);
    }
    const paused = await connect(served);
    paused.socket.pause();
    paused.send('GET', maps, { authorization: 'Bearer alice' });
    const { traffic } = served.test.server;
    while (traffic.inUse('answerBytes') === 0) await new Promise((resolve) => setImmediate(resolve));
    // In the meantime, the kernel's buffers fill up; after that, nothing is transferred.
    while (traffic.inUse('answerBytes') > 0) await clock.advance(35_000);

    expect(rejections(served)).toEqual({ stalled: 1 });
  });

  it("block only the same user's next response while a large one is unread", async () => {
    const served = await serve({ maxAnswerBytesPerUser: 1_000_000 });
    for (let index = 0; index < 16; index++) {
      const body = { metadata: { name: `large-${index}` }, data: { x: 'x'.repeat(1_000_000) } };
      await served.test.call('POST', maps, body);
    }
    const { traffic } = served.test.server;
    const paused = await connect(served);
    paused.socket.pause();
    paused.send('GET', maps, { authorization: 'Bearer alice' });
    while (traffic.inUse('answerBytes') === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = await connect(served);
    second.send('GET', `${maps}?limit=1`, { authorization: 'Bearer alice' });
    const other = await connect(served);
    other.send('GET', `${maps}?limit=1`, { authorization: 'Bearer bob' });

    expect(await second.status()).toBe(429);
    expect(await other.status()).toBe(200);
    await paused.close();
    while (traffic.inUse('answerBytes') > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await (await sendRequest(served, 'alice')).status()).toBe(404);
  });

  it('release everything when they end, including pipelined requests', async () => {
    const served = await serve({});
    const { traffic } = served.test.server;
    const client = await connect(served);
    for (let index = 0; index < 3; index++) client.send('GET', `${maps}?watch=1`, { authorization: 'Bearer alice' });
    while (traffic.inUse('watches') < 3) await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    while (traffic.inUse('connections') > 0) await new Promise((resolve) => setImmediate(resolve));
    // A queued request ends as soon as it starts.
    while (traffic.inUse('watches') > 0) await new Promise((resolve) => setImmediate(resolve));

    expect(traffic.inUse('readingRequests')).toBe(0);
  });

  it('are closed when too many requests are pipelined', async () => {
    const held = Promise.withResolvers<never>();
    const authenticators = [{ authenticate: () => held.promise }];
    const served = await serve({ maxPipelinedRequests: 3 }, { authenticators });
    const client = await connect(served);
    for (let index = 0; index < 4; index++) client.send('GET', maps, { authorization: 'Bearer alice' });
    await client.closed;
    held.reject(new Error('the test is over'));

    expect(client.received).toBe('');
    expect(rejections(served)).toEqual({ pipelinedRequests: 1 });
  });

  it('have only one handshake: renegotiation is refused', async () => {
    const served = await serve({});
    const { port } = served.listener;
    const options = { host: '127.0.0.1', port, ca: served.certificateAuthority, maxVersion: 'TLSv1.2' } as const;
    const socket = connectTls(options);
    await once(socket, 'secureConnect');
    const error = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve);
      socket.renegotiate({}, resolve);
    });
    socket.destroy();

    expect(error).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
  });

  it.each([
    ['never begin', Buffer.alloc(0)],
    ['stop in the middle', Buffer.from('16030100c8010000c40303', 'hex')],
    ['are not TLS', Buffer.from('GET /livez HTTP/1.1\r\nHost: test\r\n\r\n')],
  ])('end in time if their handshakes %s, and release their slots', async (_, bytes) => {
    const served = await serve({ handshakeTimeoutMs: 50 });
    const sockets = Array.from({ length: 20 }, () => connectTcp(served.listener.port, '127.0.0.1'));
    for (const socket of sockets)
      socket
        .on('error', () => undefined)
        .resume()
        .write(bytes);
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const { traffic } = served.test.server;
    while (traffic.inUse('connections') > 0) await new Promise((resolve) => setImmediate(resolve));

    expect(traffic.inUse('unauthenticatedConnections')).toBe(0);
  });
});
