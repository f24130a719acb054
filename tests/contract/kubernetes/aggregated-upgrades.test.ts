import { once } from 'node:events';
import type { UpgradeBehavior } from '@fairway/apiserver/aggregation/testing/extension-server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Extension } from './extension-services.ts';
import { describeServers } from './targets.ts';
import { upgrade } from './upgraded-connection.ts';

const WEBSOCKET = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': 'v5.channel.k8s.io' };
const SWITCHING_PROTOCOLS = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';

/** Echoes its input. */
const echo: UpgradeBehavior = (_request, socket) => {
  socket.write(`${SWITCHING_PROTOCOLS}Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\nhello `);
  socket.pipe(socket);
};

describeServers('upgraded connections to aggregated API servers', (server) => {
  let aggregated: Extension;
  let console: string;

  beforeAll(async () => {
    aggregated = await Extension.available(server(), await server().namespace());
    console = `${aggregated.path}/namespaces/${aggregated.namespace}/things/one/console`;
  });
  beforeEach(() => {
    aggregated.extension.received.length = 0;
    aggregated.extension.upgrade(console, echo);
  });
  afterAll(() => aggregated[Symbol.asyncDispose]());

  it('use the requested protocol, as the user', async () => {
    const identity = await server().certificate('admin', ['system:masters']);
    const response = await upgrade(server(), identity, `${console}?tty=true`, {
      headers: { ...WEBSOCKET, 'x-remote-user': 'somebody-else' },
    });
    response.socket?.write('you');
    expect(await response.read('hello you'.length)).toBe('hello you');
    response.socket?.destroy();

    expect(response).toMatchObject({
      status: 101,
      headers: { upgrade: 'websocket', 'sec-websocket-protocol': 'v5.channel.k8s.io' },
    });
    const [upgradeRequest] = aggregated.extension.received;
    expect(upgradeRequest).toMatchObject({
      method: 'GET',
      path: `${console}?tty=true`,
      headers: { upgrade: 'websocket', 'sec-websocket-protocol': 'v5.channel.k8s.io', 'x-remote-user': 'admin' },
      client: { name: 'front-proxy-client' },
    });
    expect(upgradeRequest?.headers.connection).toMatch(/^upgrade$/i);
  });

  it('use SPDY after a POST', async () => {
    const identity = await server().certificate('admin', ['system:masters']);
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    const response = await upgrade(server(), identity, console, { method: 'POST', headers });
    response.socket?.destroy();

    expect(response.status).toBe(101);
    expect(aggregated.extension.received).toMatchObject([{ method: 'POST', headers: { upgrade: 'SPDY/3.1' } }]);
  });

  it('end when the other side ends them', async () => {
    const identity = await server().certificate('admin', ['system:masters']);
    aggregated.extension.upgrade(console, (_request, socket) => socket.end(`${SWITCHING_PROTOCOLS}\r\nthe last`));
    const { read, socket } = await upgrade(server(), identity, console, { headers: WEBSOCKET });

    expect(await read('the last'.length)).toBe('the last');
    if (socket?.readableEnded === false) await once(socket.resume(), 'end');

    const disconnected = Promise.withResolvers<void>();
    aggregated.extension.upgrade(console, (_request, other) => {
      other.write(`${SWITCHING_PROTOCOLS}\r\n`);
      other.resume().once('close', disconnected.resolve);
    });
    const second = await upgrade(server(), identity, console, { headers: WEBSOCKET });
    second.socket?.destroy();
    await disconnected.promise;
  });

  it('are not upgraded if the other server responds differently', async () => {
    const identity = await server().certificate('admin', ['system:masters']);
    aggregated.extension.upgrade(console, (_request, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
    );

    expect((await upgrade(server(), identity, console, { headers: WEBSOCKET })).status).toBe(403);
  });

  it('are authorized first', async () => {
    const identity = await server().certificate(server().name('user'));

    expect((await upgrade(server(), identity, console, { headers: WEBSOCKET })).status).toBe(403);
    expect(aggregated.extension.received).toEqual([]);
  });
});
