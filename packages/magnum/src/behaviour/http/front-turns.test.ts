import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Traffic } from '@fairway/apiserver/server/traffic';
import { systemClock } from '@fairway/base/clock';
import { afterEach, expect, test } from 'vitest';
import type { Route } from '../../http/call.ts';
import { MagnumFront } from '../../http/front.ts';
import type { MagnumServices } from '../../services.ts';

const REQUEST_COUNT = 10;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

test('one concurrent request starts per turn of the event loop', async () => {
  let turn = 0;
  const served: number[] = [];
  const route: Route = {
    method: 'GET',
    path: 'stats',
    action: 'stats:get_all',
    handle: () => {
      served.push(turn);
      return Promise.resolve({ status: 200, body: {} });
    },
  };
  const caller = {
    user: { username: 'mallory', groups: [] },
    userId: 'mallory',
    project: { id: 'p', name: 'p' },
    namespace: 'n',
    roles: [],
  };
  const services = { identify: () => Promise.resolve(caller), clientOf: () => undefined };
  const front = new MagnumFront({
    services: services as unknown as MagnumServices,
    routes: [route],
    traffic: new Traffic({ clock: systemClock }),
    url: () => 'http://magnum',
  });
  const server = createServer((request, response) => front.handler(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  let immediate = setImmediate(function count() {
    turn++;
    immediate = setImmediate(count);
  });
  closers.push(() => clearImmediate(immediate));

  const request = 'GET /v1/stats HTTP/1.1\r\nhost: a\r\nx-auth-token: t\r\n\r\n';
  const clients: Socket[] = [];
  for (let index = 0; index < REQUEST_COUNT; index++) {
    const client = connect(port, '127.0.0.1');
    closers.push(() => client.destroy());
    await once(client, 'connect');
    client.write(request.slice(0, -1));
    clients.push(client);
  }
  for (const client of clients) client.write(request.slice(-1));
  await Promise.all(clients.map((client) => once(client, 'data')));

  expect(served).toHaveLength(REQUEST_COUNT);
  expect(new Set(served).size).toBe(REQUEST_COUNT);
});
