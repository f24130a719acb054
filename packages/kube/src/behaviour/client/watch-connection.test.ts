import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, connect as connectNet, createServer as createNetServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, describe, expect, test } from 'vitest';
import { HttpsTransport, type HttpsTransportOptions } from '../../client/https-transport.ts';
import { TransportError, type TransportRequest } from '../../client/transport.ts';
import { startTlsServer, type TlsServerOptions } from '../../testing/tls-server.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const WATCH: TransportRequest = { method: 'GET', path: '/watch', isWatch: true };

async function connect(
  listener: RequestListener,
  options: Partial<HttpsTransportOptions> = {},
  serverOptions: TlsServerOptions = { http2: true },
) {
  const server = await startTlsServer(listener, serverOptions);
  closers.push(() => server.close());
  const transport = new HttpsTransport({
    server: server.url,
    certificateAuthority: server.authority.certificatePem,
    ...options,
  });
  closers.push(() => transport.close());
  return { server, transport };
}

async function linesOf(transport: HttpsTransport, request = WATCH): Promise<AsyncIterator<string>> {
  return (await transport.request(request)).lines()[Symbol.asyncIterator]();
}

function sessionOf(response: ServerResponse): ServerHttp2Session {
  const session = (response as unknown as Http2ServerResponse).stream.session;
  if (session === undefined) throw new Error('the stream has no session');
  return session as ServerHttp2Session;
}

describe('watches on a server that supports HTTP/2', () => {
  test('share one connection, separate from other requests', async () => {
    const { server, transport } = await connect((request, response) => {
      if (request.url === '/watch') response.write(`${request.httpVersion}\n`);
      else response.end(request.httpVersion);
    });

    const watches = await Promise.all(Array.from({ length: 23 }, () => linesOf(transport)));
    const first = await Promise.all(watches.map((lines) => lines.next()));
    const get = await transport.request({ method: 'GET', path: '/' });

    expect(new Set(first.map(({ value }) => value))).toEqual(new Set(['2.0']));
    expect(await get.text()).toBe('1.1');
    expect(server.connections.accepted).toBe(2);
  });

  test('do not block each other if one of them is not being read', async () => {
    const { transport } = await connect((request, response) => {
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      };
      if (request.url === '/busy') {
        response.on('drain', more).on('error', () => {});
        more();
      } else response.write('event\n');
    });
    for (let count = 0; count < 20; count++) await transport.request({ ...WATCH, path: '/busy' });

    expect((await (await linesOf(transport)).next()).value).toBe('event');
  });

  test('send the client information that the server needs', async () => {
    const { server, transport } = await connect(
      (request, response) => {
        const certificate = (request.socket as TLSSocket).getPeerCertificate();
        response.write(`${request.headers.authorization} ${request.headers.accept} ${certificate.subject?.CN}\n`);
      },
      { bearerToken: () => 'secret', clientCertificate: () => server.issue('fairway') },
    );

    const lines = await linesOf(transport, { ...WATCH, headers: { accept: 'application/json' } });

    expect((await lines.next()).value).toBe('Bearer secret application/json fairway');
  });

  test('open a new connection for a new certificate, while running watches stay on the old one', async () => {
    let name = 'first';
    const running: ServerResponse[] = [];
    const { server, transport } = await connect(
      (request, response) => {
        running.push(response);
        response.write(`${(request.socket as TLSSocket).getPeerCertificate().subject?.CN}\n`);
      },
      { clientCertificate: () => server.issue(name) },
    );
    const before = await linesOf(transport);
    expect((await before.next()).value).toBe('first');

    name = 'second';
    expect((await (await linesOf(transport)).next()).value).toBe('second');

    running[0]?.write('still here\n');
    expect((await before.next()).value).toBe('still here');
  });

  test('open a new connection after GOAWAY, while running watches stay on the old one', async () => {
    const running: ServerResponse[] = [];
    const { server, transport } = await connect((_request, response) => {
      running.push(response);
      response.write('one\n');
    });
    const before = await linesOf(transport);
    await before.next();

    if (running[0]) sessionOf(running[0]).goaway(0);
    running[0]?.write('two\n');
    expect((await before.next()).value).toBe('two');
    await (await linesOf(transport)).next();

    expect(server.connections.accepted).toBe(2);
  });

  test('are retried if the connection breaks before the response', async () => {
    let requests = 0;
    const { transport } = await connect((_request, response) => {
      if (++requests === 2) sessionOf(response).destroy();
      else response.write(`${requests}\n`);
    });
    await (await linesOf(transport)).next();

    expect((await (await linesOf(transport)).next()).value).toBe('3');
  });

  test('open a new connection after a 503 response', async () => {
    const { server, transport } = await connect((_request, response) => {
      response.statusCode = server.connections.accepted === 1 ? 503 : 200;
      response.end('no\n');
    });

    expect((await transport.request(WATCH)).status).toBe(503);
    expect((await transport.request(WATCH)).status).toBe(200);
  });

  test('close the connection when the last one ends', async () => {
    const { server, transport } = await connect((_request, response) => response.write('one\n'));
    const [first, second] = [await linesOf(transport), await linesOf(transport)];
    await Promise.all([first.next(), second.next()]);
    const [socket] = server.connections.open;
    const closed = new Promise((resolve) => socket?.once('close', resolve));

    await first.return?.();
    expect(server.connections.open.size).toBe(1);
    await second.return?.();

    await closed;
  });

  test('time out without a response, and are not retried', async () => {
    const clock = new FakeClock();
    let requests = 0;
    const arrived = Promise.withResolvers<void>();
    const { transport } = await connect(
      (request, response) => {
        requests++;
        if (request.url === '/watch') response.write('one\n');
        else arrived.resolve();
      },
      { clock, requestTimeoutMs: 5_000 },
    );
    await (await linesOf(transport)).next();
    const failure = transport.request({ ...WATCH, path: '/silent' }).catch(String);
    await arrived.promise;

    await clock.advance(5_000);

    expect(await failure).toContain('no complete response within 5000 ms');
    expect(requests).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each(['before', 'during'] as const)('end with the abort reason if aborted %s the response', async (when) => {
    const arrived = Promise.withResolvers<void>();
    const { transport } = await connect((_request, response) => {
      if (when === 'during') response.write('half');
      arrived.resolve();
    });
    const abort = new AbortController();
    const failure = transport
      .request({ ...WATCH, signal: abort.signal })
      .then(async (response) => (await response.lines()[Symbol.asyncIterator]().next()).value)
      .catch(String);
    await arrived.promise;

    abort.abort(new Error('enough'));

    expect(await failure).toBe('Error: enough');
  });

  test.each([1, 10])(
    'use more connections if the server allows only %i streams on each',
    async (maxConcurrentStreams) => {
      const { server, transport } = await connect(
        (_request, response) => response.write('event\n'),
        {},
        { http2: true, maxConcurrentStreams },
      );

      const watches = await Promise.all(Array.from({ length: 23 }, () => linesOf(transport)));
      for (const lines of watches) expect((await lines.next()).value).toBe('event');

      expect(server.connections.accepted).toBe(Math.ceil(23 / maxConcurrentStreams));
      for (const lines of watches) await lines.return?.();
      await expect.poll(() => server.connections.open.size).toBe(0);
    },
  );

  test('use separate connections if the server allows no streams on a shared one', async () => {
    const { transport } = await connect(
      (request, response) => response.write(`${request.httpVersion}\n`),
      {},
      { http2: true, maxConcurrentStreams: 0 },
    );

    expect((await (await linesOf(transport)).next()).value).toBe('1.1');
  });

  test('leave no connection open once all are aborted', async () => {
    const { server, transport } = await connect(() => {});
    const abort = new AbortController();
    const watches = Array.from({ length: 3 }, () =>
      transport.request({ ...WATCH, signal: abort.signal }).catch(String),
    );
    await setImmediate();

    abort.abort(new Error('enough'));

    expect(await Promise.all(watches)).toEqual(Array.from({ length: 3 }, () => 'Error: enough'));
    await expect.poll(() => server.connections.accepted).toBe(1);
    await expect.poll(() => server.connections.open.size).toBe(0);
  });

  test('open a new connection after a watch got no response, while running watches stay on the old one', async () => {
    const clock = new FakeClock();
    const arrived = Promise.withResolvers<void>();
    const running: ServerResponse[] = [];
    const { server, transport } = await connect(
      (request, response) => {
        if (request.url === '/silent') return arrived.resolve();
        running.push(response);
        response.write('one\n');
      },
      { clock, requestTimeoutMs: 5_000 },
    );
    const before = await linesOf(transport);
    await before.next();
    const failure = transport.request({ ...WATCH, path: '/silent' }).catch(String);
    await arrived.promise;
    await clock.advance(5_000);
    await failure;

    await (await linesOf(transport)).next();

    expect(server.connections.accepted).toBe(2);
    running[0]?.write('two\n');
    expect((await before.next()).value).toBe('two');
  });

  test('end at the server when they end at the client', async () => {
    const closed = Promise.withResolvers<void>();
    const { transport } = await connect((request, response) => {
      response.write('one\n');
      if (request.url === '/first') response.once('close', () => closed.resolve());
    });
    const first = await linesOf(transport, { ...WATCH, path: '/first' });
    await (await linesOf(transport)).next();
    await first.next();

    await first.return?.();

    await expect(closed.promise).resolves.toBeUndefined();
  });

  test('return errors like any other request', async () => {
    const { transport } = await connect((_request, response) => {
      response.statusCode = 410;
      response.end('{"reason":"Expired"}');
    });

    const response = await transport.request(WATCH);

    expect([response.status, await response.text()]).toEqual([410, '{"reason":"Expired"}']);
  });
});

test('watches on a server without HTTP/2 probe it once, then use one connection each', async () => {
  const { server, transport } = await connect(
    (request, response) => response.write(`${request.httpVersion}\n`),
    {},
    { http2: false },
  );

  const watches = [await linesOf(transport), await linesOf(transport)];

  for (const lines of watches) expect((await lines.next()).value).toBe('1.1');
  expect(server.connections.accepted).toBe(2);
});

describe('a server that accepts a connection', () => {
  test.each(['nothing', 'a handshake alone'])('causes a timeout if it sends %s', async (what) => {
    const clock = new FakeClock();
    const tls = await startTlsServer(() => {});
    closers.push(() => tls.close());
    const arrived = Promise.withResolvers<void>();
    const server = createNetServer((socket) => {
      closers.push(() => socket.destroy());
      socket.on('error', () => {}).on('data', () => arrived.resolve());
    });
    const { certificate: cert, privateKey: key } = await tls.issue('127.0.0.1');
    const silentServer = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
      closers.push(() => socket.destroy());
      socket.on('error', () => {}).on('data', () => arrived.resolve());
    });
    const listening = what === 'a handshake alone' ? silentServer : server;
    listening.listen(0, '127.0.0.1');
    closers.push(() => listening.close());
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    const transport = new HttpsTransport({ server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true, clock });
    closers.push(() => transport.close());
    const watches = Array.from({ length: 23 }, () => transport.request(WATCH).catch(String));
    await arrived.promise;

    await clock.advance(30_000);

    expect(new Set(await Promise.all(watches))).toEqual(
      new Set([`TransportError: GET /watch at 127.0.0.1:${port}: no connection within 30 s`]),
    );
    expect(clock.pendingTimers).toBe(0);
  });
});

test('closes a connection to a hanging server without waiting for it', async () => {
  const clock = new FakeClock();
  const arrived = Promise.withResolvers<void>();
  const { server } = await connect(() => arrived.resolve());
  const proxy = createNetServer({ allowHalfOpen: true }, (socket) => {
    const upstreamSocket = connectNet(Number(new URL(server.url).port));
    closers.push(
      () => upstreamSocket.destroy(),
      () => socket.destroy(),
    );
    socket.on('error', () => {}).on('data', (bytes) => upstreamSocket.write(bytes));
    upstreamSocket.on('error', () => {}).on('data', (bytes) => socket.write(bytes));
    accepted.resolve(socket);
  });
  const accepted = Promise.withResolvers<Socket>();
  proxy.listen(0, '127.0.0.1');
  closers.push(() => proxy.close());
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const transport = new HttpsTransport({ server: url, certificateAuthority: server.authority.certificatePem, clock });
  closers.push(() => transport.close());
  const failure = transport.request(WATCH).catch(String);
  const socket = await accepted.promise;
  await arrived.promise;
  socket.removeAllListeners('data').resume();

  await clock.advance(60_000);

  expect(await failure).toContain('no complete response');
  // A write to a closed socket emits an error.
  await expect.poll(() => socket.destroyed || (socket.write('x') && socket.destroyed)).toBe(true);
});

test('reports the address of a closed port', async () => {
  const { server, transport } = await connect(() => {});
  await server.close();
  closers.splice(0, 1);

  await expect(transport.request(WATCH)).rejects.toThrow(TransportError);
  await expect(transport.request(WATCH)).rejects.toThrow(/GET \/watch at 127\.0\.0\.1:\d+: connect ECONNREFUSED/);
});
