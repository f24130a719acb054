import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { FakeClock } from '@fairway/base/clock-fake';
import { FencedError } from '@fairway/base/fence';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientCertificate } from '../../client/https-connections.ts';
import { HttpsTransport, type HttpsTransportOptions } from '../../client/https-transport.ts';
import { ResponseTooLargeError, TransportError, type TransportRequest } from '../../client/transport.ts';
import { startTlsServer, type TlsServer, type TlsServerOptions } from '../../testing/tls-server.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function connect(
  listener: RequestListener,
  options: Partial<HttpsTransportOptions> = {},
  serving: TlsServerOptions = {},
) {
  const server = await startTlsServer(listener, serving);
  closers.push(() => server.close());
  return { server, transport: transportTo(server, options) };
}

function transportTo(server: TlsServer, options: Partial<HttpsTransportOptions> = {}): HttpsTransport {
  const certificateAuthority = server.authority.certificatePem;
  const transport = new HttpsTransport({ server: server.url, certificateAuthority, ...options });
  closers.push(() => transport.close());
  return transport;
}

function userOf(request: IncomingMessage): string {
  const certificate = (request.socket as TLSSocket).getPeerCertificate();
  return certificate.subject?.CN ?? 'anonymous';
}

const GET: TransportRequest = { method: 'GET', path: '/' };
const WATCH: TransportRequest = { ...GET, isWatch: true };

describe('the HTTPS transport', () => {
  test('stops reading a response that exceeds the limit', async () => {
    const listener: RequestListener = (_, response) => void response.end('x'.repeat(100_000));
    const { transport } = await connect(listener, { maxResponseBytes: 99_999 });

    const response = await transport.request(GET);

    const text = response.text();
    await expect(text).rejects.toThrow(/GET \/ at 127\.0\.0\.1:\d+: the response exceeds 99999 bytes/);
    await expect(text).rejects.toMatchObject({ cause: expect.any(ResponseTooLargeError) });
  });

  test('rejects a line that never ends', async () => {
    const { transport } = await connect((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(1_000_000)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });

    const response = await transport.request(GET);

    await expect(response.lines()[Symbol.asyncIterator]().next()).rejects.toThrow(
      /a line has more than 16777216 bytes/,
    );
  });

  test('sends lists one at a time on one connection without delaying other requests', async () => {
    const held: ServerResponse[] = [];
    const { server, transport } = await connect(({ url }, response) => {
      if (url === '/list') held.push(response);
      else response.end('other');
    });
    const list = async () => (await transport.request({ ...GET, path: '/list', isList: true })).text();
    const lists = Array.from({ length: 23 }, list);

    for (let served = 0; served < 23; served++) {
      await expect.poll(() => held.length).toBe(1);
      const other = await transport.request(GET);
      expect(await other.text()).toBe('other');
      held.pop()?.end('listed');
    }

    expect(await Promise.all(lists)).toEqual(Array.from({ length: 23 }, () => 'listed'));
    expect(server.connections.accepted).toBe(2);
  });

  test('does not delay other lists queued behind a long one', async () => {
    const clock = new FakeClock();
    const held: ServerResponse[] = [];
    const { transport } = await connect(
      ({ url }, response) => (url === '/slow' ? void held.push(response) : response.end('listed')),
      { clock },
    );
    const list = async (path: string) => (await transport.request({ ...GET, path, isList: true })).text();
    const slow = list('/slow');
    await expect.poll(() => held.length).toBe(1);
    const quick = [list('/quick'), list('/quick')];

    await clock.advance(499);
    expect(await Promise.race([...quick, Promise.resolve('waits')])).toBe('waits');
    await clock.advance(1);

    expect(await Promise.all(quick)).toEqual(['listed', 'listed']);
    held.pop()?.end('at last');
    expect(await slow).toBe('at last');
  });

  test('starts the next list after one fails', async () => {
    const { transport } = await connect(({ socket }) => void socket.destroy());
    const list = () => transport.request({ ...GET, isList: true });

    const failed = await Promise.allSettled(Array.from({ length: 6 }, list));
    const closed = list();
    transport.close();

    expect(failed.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(closed).rejects.toThrow(TransportError);
    await expect(list()).rejects.toThrow(/the transport is closed/);
  });

  test('sends the request and returns the response', async () => {
    const { transport } = await connect((request, response) => {
      const { method, url, headers } = request;
      response.writeHead(201, { 'x-answer': 'yes' });
      void text(request).then((body) =>
        response.end(JSON.stringify({ method, url, type: headers['content-type'], body })),
      );
    });

    const response = await transport.request({
      method: 'POST',
      path: '/api/v1/pods?x=1',
      headers: { 'content-type': 'application/json' },
      body: '{"ä":1}',
    });

    expect(response.status).toBe(201);
    expect(response.headers['x-answer']).toBe('yes');
    expect(JSON.parse(await response.text())).toEqual({
      method: 'POST',
      url: '/api/v1/pods?x=1',
      type: 'application/json',
      body: '{"ä":1}',
    });
  });

  test.each([
    { reason: 'on a new connection', before: 0 },
    { reason: 'on a reused connection', before: 1 },
  ])('sends nothing when the grant is lost before the request is written, $reason', async ({ before }) => {
    const received: string[] = [];
    const { transport } = await connect((request, response) => {
      received.push(request.method ?? '');
      response.end('ok');
    });
    for (let i = 0; i < before; i++) await (await transport.request(GET)).text();
    let calls = 0;
    const beforeWrite = () => {
      calls++;
      throw new FencedError('team/demo', 'POST /');
    };
    const sent = transport.request({ method: 'POST', path: '/', body: '{}', beforeWrite });

    await expect(sent).rejects.toThrow(FencedError);
    await (await transport.request({ method: 'PUT', path: '/', body: '{}', beforeWrite: () => undefined })).text();
    expect(received).toEqual([...Array.from({ length: before }, () => 'GET'), 'PUT']);
    expect(calls).toBe(1);
  });

  test('checks the grant only after connecting, and never if the port is closed', async () => {
    const { server, transport } = await connect((_request, response) => response.end('ok'));
    await server.close();
    let calls = 0;
    const beforeWrite = () => {
      calls++;
    };

    await expect(transport.request({ method: 'POST', path: '/', body: '{}', beforeWrite })).rejects.toThrow(
      TransportError,
    );
    expect(calls).toBe(0);
  });

  test('keeps its connection between requests', async () => {
    const { transport, server } = await connect((_request, response) => response.end('ok'));
    for (let i = 0; i < 3; i++) await (await transport.request(GET)).text();

    expect(server.connections.accepted).toBe(1);
  });

  test('drops a connection after a 503 response', async () => {
    const { transport, server } = await connect((_request, response) => {
      response.statusCode = 503;
      response.end();
    });
    for (let i = 0; i < 2; i++) await (await transport.request(GET)).text();

    expect(server.connections.accepted).toBe(2);
  });

  test.each`
    bytes      | connections | reason
    ${1_000}   | ${1}        | ${'a small response does not grow the buffers of the connection'}
    ${200_000} | ${2}        | ${'a large one does'}
  `('handles the connection after a response of $bytes bytes: $reason', async ({ bytes, connections }) => {
    const { transport, server } = await connect((_request, response) => response.end('x'.repeat(bytes)));
    for (let i = 0; i < 2; i++) expect(await (await transport.request(GET)).text()).toHaveLength(bytes);

    expect(server.connections.accepted).toBe(connections);
  });

  test('prepends the server’s path', async () => {
    const { server } = await connect((request, response) => response.end(request.url));
    const transport = transportTo(server, { server: `${server.url}/k8s/clusters/c-1/` });

    expect(await (await transport.request({ method: 'GET', path: '/version' })).text()).toBe(
      '/k8s/clusters/c-1/version',
    );
  });

  test('resends a request with new credentials when the old ones are refused', async () => {
    let token = 'old';
    const seen: string[] = [];
    const { transport } = await connect(
      (request, response) => {
        const { authorization } = request.headers;
        void text(request).then((body) => {
          seen.push(`${authorization} ${body}`);
          response.writeHead(authorization === 'Bearer new' ? 201 : 401).end('{}');
        });
      },
      {
        bearerToken: () => token,
        renewCredentials: () => {
          token = 'new';
          return Promise.resolve();
        },
      },
    );
    const write = { method: 'POST', path: '/api', body: 'x', headers: {} } as const;

    expect((await transport.request(write)).status).toBe(201);
    expect(seen).toEqual(['Bearer old x', 'Bearer new x']);
  });

  test('gets the token for each request', async () => {
    const { server } = await connect((request, response) => response.end(request.headers.authorization));
    let count = 0;
    const transport = transportTo(server, { bearerToken: () => `t${++count}` });

    expect(await (await transport.request(GET)).text()).toBe('Bearer t1');
    expect(await (await transport.request(GET)).text()).toBe('Bearer t2');
  });

  test('presents its certificate, and a new one after rotation', async () => {
    const { server } = await connect((request, response) => response.end(userOf(request)));
    const first = await server.issue('first');
    const second = await server.issue('second');
    let current: ClientCertificate = first;
    const transport = transportTo(server, { clientCertificate: () => current });
    const getText = async () => (await transport.request(GET)).text();

    expect(await getText()).toBe('first');
    current = second;
    expect(await getText()).toBe('second');
    expect(await getText()).toBe('second');
    expect(server.connections.accepted).toBe(2);
  });

  test('trusts only the given certificate authority', async () => {
    const { server } = await connect((_request, response) => response.end('ok'));
    const other = await startTlsServer((_request, response) => response.end('ok'));
    closers.push(() => other.close());
    const transport = transportTo(server, { certificateAuthority: other.authority.certificatePem });

    await expect(transport.request(GET)).rejects.toThrow(TransportError);
    const insecure = transportTo(server, {
      certificateAuthority: other.authority.certificatePem,
      insecureSkipTlsVerify: true,
    });
    expect(await (await insecure.request(GET)).text()).toBe('ok');
  });

  test('refuses plain HTTP', () => {
    expect(() => new HttpsTransport({ server: 'http://127.0.0.1:8080' })).toThrow('https://');
  });

  test('reports the address of a closed port', async () => {
    const { server, transport } = await connect((_request, response) => response.end());
    await server.close();
    closers.splice(0, 1);

    await expect(transport.request({ method: 'GET', path: '/version' })).rejects.toThrow(
      /^GET \/version at 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    );
  });

  test.each`
    reason              | listener
    ${'never answers'}  | ${() => undefined}
    ${'stops half-way'} | ${(_: IncomingMessage, response: ServerResponse) => response.write('half')}
  `('times out on a server that $reason', async ({ listener }) => {
    const arrived = Promise.withResolvers<void>();
    const clock = new FakeClock();
    const { transport } = await connect(
      (request, response) => {
        listener(request, response);
        arrived.resolve();
      },
      { clock, requestTimeoutMs: 5_000 },
    );
    const body = transport.request(GET).then((response) => response.text());
    const failure = body.catch(String);
    await arrived.promise;

    await clock.advance(5_000);

    expect(await failure).toContain('no complete response within 5000 ms');
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([false, true])('never times out a watch, and yields its lines as they arrive', async (http2) => {
    const clock = new FakeClock();
    const watch = Promise.withResolvers<ServerResponse>();
    const { transport } = await connect(
      (_request, response) => {
        response.writeHead(200);
        response.flushHeaders();
        watch.resolve(response);
      },
      { clock, requestTimeoutMs: 5_000 },
      { http2 },
    );
    const response = await transport.request(WATCH);
    const lines = response.lines()[Symbol.asyncIterator]();
    const server = await watch.promise;
    const first = lines.next();
    await clock.advance(3_600_000);
    const euro = Buffer.from('{"price":"€"}\n');

    server.write(euro.subarray(0, 11));
    server.write(Buffer.concat([euro.subarray(11), Buffer.from('second\nthi')]));
    server.end('rd');

    expect((await first).value).toBe('{"price":"€"}');
    expect((await lines.next()).value).toBe('second');
    expect((await lines.next()).value).toBe('third');
    expect((await lines.next()).done).toBe(true);
  });

  test.each([false, true])('ends a watch with a TransportError if its connection breaks', async (http2) => {
    const { transport, server } = await connect((_request, response) => response.write('one\n'), {}, { http2 });
    const lines = (await transport.request(WATCH)).lines()[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('one');

    for (const socket of server.connections.open) socket.destroy();

    await expect(lines.next()).rejects.toThrow(TransportError);
  });

  test.each(['before', 'during'] as const)('rejects with the abort reason if aborted %s the response', async (when) => {
    const arrived = Promise.withResolvers<void>();
    const { transport } = await connect((_request, response) => {
      if (when === 'during') response.write('half');
      arrived.resolve();
    });
    const abort = new AbortController();
    const body = transport.request({ ...GET, signal: abort.signal }).then((response) => response.text());
    const failure = body.catch(String);
    await arrived.promise;

    abort.abort(new Error('enough'));

    expect(await failure).toBe('Error: enough');
  });

  test.each([false, true])('frees the connection when a reader stops early', async (http2) => {
    const closed = Promise.withResolvers<void>();
    const listener: RequestListener = (_request, response) => {
      response.on('close', () => closed.resolve());
      response.write('one\ntwo\n');
    };
    const { transport } = await connect(listener, {}, { http2 });
    const read: string[] = [];
    for await (const line of (await transport.request(WATCH)).lines()) {
      read.push(line);
      break;
    }

    await closed.promise;
    expect(read).toEqual(['one']);
  });

  test('retries a read on a new connection when the server closed the idle one', async () => {
    let requests = 0;
    const { transport } = await connect((request, response) => {
      if (++requests === 2) request.socket.destroy();
      else response.end(`answer ${requests}`);
    });
    await (await transport.request(GET)).text();

    expect(await (await transport.request(GET)).text()).toBe('answer 3');
  });

  test('never retries a write', async () => {
    let requests = 0;
    const { transport } = await connect((request, response) => {
      if (++requests === 2) request.socket.destroy();
      else response.end('ok');
    });
    await (await transport.request(GET)).text();

    await expect(transport.request({ method: 'POST', path: '/', body: '{}' })).rejects.toThrow(TransportError);
    expect(requests).toBe(2);
  });

  test.each([false, true])('ends all requests on close', async (http2) => {
    const { transport, server } = await connect((_request, response) => response.write('one\n'), {}, { http2 });
    const lines = (await transport.request(WATCH)).lines()[Symbol.asyncIterator]();
    await lines.next();
    const ended = Promise.all(
      [...server.connections.open].map((socket) => new Promise((done) => socket.once('close', done))),
    );

    transport.close();

    await expect(lines.next()).rejects.toThrow(TransportError);
    await expect(transport.request(GET)).rejects.toThrow('closed');
    await ended;
  });
});
