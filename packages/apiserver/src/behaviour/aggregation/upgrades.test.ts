import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { systemClock } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { APIService, EndpointSlice, Service } from '@fairway/kube/kinds/generated/types';
import { APIServices, EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ExtensionServer, type UpgradeBehavior } from '../../aggregation/testing/extension-server.ts';
import { ALL_KINDS } from '../../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../../kinds/definitions.ts';
import { OutboundClient } from '../../outbound/outbound-client.ts';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';
import { RawClient } from '../../server/raw-client.ts';

const GROUP = 'ext.example.com';
const CONSOLE = `/apis/${GROUP}/v1/namespaces/ns/things/one/console`;
const WEBSOCKET = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'x' };
const WAIT_OPTIONS = { timeout: 300_000 };
const SWITCHING_RESPONSE = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';

/** Echoes what it receives. */
const echo: UpgradeBehavior = (_request, socket) => {
  socket.write(`${SWITCHING_RESPONSE}X-Served: yes\r\n\r\nhello `);
  socket.pipe(socket);
};

interface UpgradeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the protocol was not switched. */
  readonly socket: Duplex | undefined;
}

describe('a connection through an aggregating server', () => {
  let fixture: HttpsFixture;
  let extension: ExtensionServer;
  const client = new OutboundClient({ clock: systemClock, policy: () => undefined });

  beforeAll(async () => {
    extension = await ExtensionServer.open({ dnsName: 'ext.ns.svc', group: GROUP, version: 'v1' });
    const identity = () => Promise.resolve(undefined);
    fixture = await startHttpsServer({
      resources: ALL_KINDS,
      definitions: builtinDefinitions(),
      aggregation: { client, checkingClient: client, identity },
    });
    await fixture.test.namespace('ns');
    await register(new KubeClient(fixture.test.transport), extension);
    await vi.waitUntil(async () => {
      const response = await fixture.test.send('GET', `/apis/${GROUP}/v1`);
      await response.text();
      return response.status === 200;
    }, WAIT_OPTIONS);
  });
  const sockets: Duplex[] = [];

  beforeEach(() => {
    extension.received.length = 0;
    extension.upgrade(CONSOLE, echo);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await vi.waitUntil(() => fixture.test.server.traffic.inUse('connections') === 0, WAIT_OPTIONS);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    client.close();
    await extension[Symbol.asyncDispose]();
  });

  async function requestUpgrade(
    headers: Record<string, string> = WEBSOCKET,
    path = CONSOLE,
    method = 'GET',
  ): Promise<UpgradeResponse> {
    const { listener, certificateAuthority, token } = fixture;
    const request = httpsRequest(`${listener.url}${path}`, {
      method,
      ca: certificateAuthority,
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    const { promise, resolve, reject } = Promise.withResolvers<UpgradeResponse>();
    request.once('upgrade', (response, socket, head) => {
      socket.on('error', () => {});
      socket.unshift(head);
      sockets.push(socket);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, socket });
    });
    request.once('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, socket: undefined });
    });
    request.once('error', reject);
    request.end();
    return promise;
  }

  async function heard(socket: Duplex | undefined, text: string): Promise<void> {
    let all = '';
    for await (const chunk of socket?.iterator({ destroyOnReturn: false }) ?? []) {
      all += String(chunk);
      if (all.length >= text.length) break;
    }
    expect(all).toBe(text);
  }

  test('speaks the requested protocol', async () => {
    const { status, headers, socket } = await requestUpgrade({
      ...WEBSOCKET,
      'x-remote-user': 'other',
      'sec-websocket-version': '13',
    });
    socket?.write('you');
    await heard(socket, 'hello you');
    socket?.destroy();

    expect({ status, headers }).toMatchObject({
      status: 101,
      headers: { connection: 'Upgrade', upgrade: 'websocket', 'x-served': 'yes' },
    });
    expect(extension.received.map((asked) => asked.headers)).toMatchObject([
      { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'x-remote-user': 'admin' },
    ]);
    expect(extension.received[0]?.headers).not.toHaveProperty('authorization');
  });

  test('speaks SPDY after a POST', async () => {
    const { status, socket } = await requestUpgrade({ connection: 'Upgrade', upgrade: 'SPDY/3.1' }, CONSOLE, 'POST');
    socket?.destroy();

    expect(status).toBe(101);
    expect(extension.received).toMatchObject([{ method: 'POST', headers: { upgrade: 'SPDY/3.1' } }]);
  });

  test('forwards data that its client sends before the upgrade', async () => {
    const raw = await RawClient.open(fixture.listener.port, fixture.certificateAuthority);
    raw.send('GET', CONSOLE, { ...WEBSOCKET, authorization: `Bearer ${fixture.token}` }, 'early');
    await raw.until('hello early');

    expect(raw.received).toMatch(/^HTTP\/1\.1 101 /);
    await raw.close();
  });

  test('is closed on both sides when either side closes it', async () => {
    const left = Promise.withResolvers<void>();
    extension.upgrade(CONSOLE, (_request, socket) => {
      socket.write(`${SWITCHING_RESPONSE}\r\n`);
      socket.once('close', left.resolve);
    });
    (await requestUpgrade()).socket?.destroy();
    await left.promise;

    extension.upgrade(CONSOLE, (_request, socket) => socket.end(`${SWITCHING_RESPONSE}\r\nthe last`));
    const { socket } = await requestUpgrade();
    await heard(socket, 'the last');
    socket?.resume();
    await expect.poll(() => socket?.readableEnded).toBe(true);
  });

  test('is not upgraded if the other server refuses to', async () => {
    extension.upgrade(CONSOLE, (_request, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
    );
    const raw = await RawClient.open(fixture.listener.port, fixture.certificateAuthority);
    raw.send('GET', CONSOLE, { ...WEBSOCKET, authorization: `Bearer ${fixture.token}` }, 'GET / HTTP/1.1\r\n\r\n');
    await raw.closed;

    expect(raw.received).toMatch(/^HTTP\/1\.1 403 .*\r\n\r\nno$/s);
    expect(extension.received).toHaveLength(1);
  });

  test.each([
    { reason: 'no protocol', answer: 'HTTP/1.1 101 Switching Protocols\r\n\r\n', status: 503 },
    { reason: 'nothing', answer: '', status: 503 },
    {
      reason: 'a redirect',
      answer: 'HTTP/1.1 302 Found\r\nLocation: https://a/\r\nContent-Length: 0\r\n\r\n',
      status: 502,
    },
  ])('is not upgraded by a response with $reason', async ({ answer, status }) => {
    extension.upgrade(CONSOLE, (_request, socket) => socket.end(answer));

    expect((await requestUpgrade()).status).toBe(status);
  });

  test.each([
    {
      reason: 'speaks HTTP',
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'x' },
    },
    { reason: 'may speak HTTP', headers: { connection: 'Upgrade', upgrade: 'websocket, h2c' } },
    { reason: 'follows a body', headers: { ...WEBSOCKET, 'content-length': '5' }, method: 'POST', body: 'abcde' },
    {
      reason: 'follows a body without Content-Length',
      headers: { ...WEBSOCKET, 'transfer-encoding': 'chunked' },
      body: '0\r\n\r\n',
    },
  ])('is refused if it $reason', async ({ headers, method = 'GET', body }) => {
    const raw = await RawClient.open(fixture.listener.port, fixture.certificateAuthority);
    raw.send(method, CONSOLE, { ...headers, authorization: `Bearer ${fixture.token}` }, body);

    expect(await raw.status()).toBe(501);
    expect(extension.received).toEqual([]);
    await raw.close();
  });

  test('is refused without permission', async () => {
    expect((await requestUpgrade({ ...WEBSOCKET, authorization: 'Bearer wrong' })).status).toBe(401);
    expect(extension.received).toEqual([]);
  });

  test('is closed if the client requests the upgrade before it has received the previous response', async () => {
    const raw = await RawClient.open(fixture.listener.port, fixture.certificateAuthority);
    const headers = { authorization: `Bearer ${fixture.token}` };
    const lines = Object.entries({ host: 'test', ...WEBSOCKET, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    raw.send('GET', '/version', headers, `GET ${CONSOLE} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await raw.closed;
    expect(extension.received).toEqual([]);

    expect((await requestUpgrade()).status).toBe(101);
  });

  test('is limited to a hundred per user', async () => {
    const asked = await Promise.all(Array.from({ length: 100 }, () => requestUpgrade()));
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 101));
    expect((await requestUpgrade()).status).toBe(429);

    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(async () => (await requestUpgrade()).status).toBe(101);
  });

  test('occupies no request seats, and is closed when the server closes', async () => {
    const { socket } = await requestUpgrade();
    await expect.poll(() => fixture.test.server.traffic.inUse('readingRequests')).toBe(0);

    await fixture.test.server.close();
    if (socket?.destroyed === false) await once(socket.resume(), 'close');
  });
});

async function register(client: KubeClient, { port, caBundle }: ExtensionServer): Promise<void> {
  const metadata = { namespace: 'ns', name: 'ext' };
  await client.resource<Service>(Services).create({ metadata, spec: { clusterIP: 'None', ports: [{ port: 443 }] } });
  await client.resource<EndpointSlice>(EndpointSlices).create({
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'ext' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'] }],
    ports: [{ name: '', port, protocol: 'TCP' }],
  });
  await client.resource<APIService>(APIServices).create({
    metadata: { name: `v1.${GROUP}` },
    spec: { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10, service: metadata, caBundle },
  });
}
