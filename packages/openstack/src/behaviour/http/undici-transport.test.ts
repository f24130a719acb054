import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { FencedError } from '@fairway/base/fence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../http/transport.ts';
import { type TlsOptions, UndiciTransport } from '../../http/undici-transport.ts';
import { CA_CERT, CLIENT_CERT, CLIENT_KEY, SERVER_CERT, SERVER_KEY } from '../../testing/certificates.ts';

/** A cloud behind TLS that returns the client's identity. */
describe('UndiciTransport', () => {
  let server: Server;
  let url: string;

  beforeEach(async () => {
    const options = { cert: SERVER_CERT, key: SERVER_KEY, ca: CA_CERT, requestCert: true, rejectUnauthorized: false };
    server = createServer(options, (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate() as { subject?: { CN: string } };
      response.end(subject?.CN ?? 'nobody');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function call(tls: TlsOptions, target = url): Promise<string> {
    const transport = new UndiciTransport({ tls, connections: 1, connectTimeoutMs: 5_000 });
    try {
      const { body } = await transport.send({ method: 'GET', url: target, headers: {} }, new AbortController().signal);
      return body;
    } finally {
      await transport.close();
    }
  }

  it.each<{ reason: string; tls: TlsOptions; caller: string }>([
    { reason: 'trusts the CA of clouds.yaml', tls: { verify: true, ca: CA_CERT }, caller: 'nobody' },
    { reason: 'trusts any certificate with verify: false', tls: { verify: false }, caller: 'nobody' },
    {
      reason: 'presents its client certificate',
      tls: { verify: true, ca: CA_CERT, cert: CLIENT_CERT, key: CLIENT_KEY },
      caller: 'client',
    },
  ])('$reason', async ({ tls, caller }) => {
    expect(await call(tls)).toBe(caller);
  });

  it('sends nothing to an untrusted server', async () => {
    const error = await call({ verify: true }).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ mayHaveArrived: false });
  });

  it('stops reading a response that exceeds the limit', async () => {
    server.removeAllListeners('request').on('request', (_, response) => response.end('x'.repeat(100_000)));
    const options = { tls: { verify: false }, connections: 1, connectTimeoutMs: 5_000, maxResponseBytes: 99_999 };
    const transport = new UndiciTransport(options);

    const sentRequest = transport.send({ method: 'GET', url, headers: {} }, new AbortController().signal);

    await expect(sentRequest).rejects.toThrow(/max.*exceeded|exceeded.*max/i);
    await expect(sentRequest).rejects.toMatchObject({ isTooLarge: true });
    await transport.close();
  });

  it('reports that nothing was sent if the port is closed', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));

    const error = await call({ verify: false }, `https://127.0.0.1:${port}/`).catch((reason: unknown) => reason);
    server.listen(0, '127.0.0.1');

    expect(error).toMatchObject({ name: 'TransportError', mayHaveArrived: false });
  });

  it('checks the grant once a connection is free, and sends nothing without it', async () => {
    const received: string[] = [];
    const first = Promise.withResolvers<void>();
    server.removeAllListeners('request').on('request', (request, response) => {
      received.push(request.url ?? '');
      void (request.url === '/first' ? first.promise : Promise.resolve()).then(() => response.end());
    });
    const transport = new UndiciTransport({ tls: { verify: false }, connections: 1, connectTimeoutMs: 5_000 });
    const { signal } = new AbortController();
    const requestedUrls: string[] = [];
    const post = (path: string, mayWrite: () => boolean) => {
      const beforeWrite = () => {
        requestedUrls.push(path);
        if (!mayWrite()) throw new FencedError('team/demo', `POST ${path}`);
      };
      return transport.send(
        { method: 'POST', url: new URL(path, url).href, headers: {}, body: '{}', beforeWrite },
        signal,
      );
    };
    let isGranted = true;
    const sent = [post('/first', () => isGranted), post('/queued', () => isGranted), post('/last', () => true)];
    await expect.poll(() => received).toEqual(['/first']);
    expect(requestedUrls).toEqual(['/first']);
    isGranted = false;
    first.resolve();

    const results = await Promise.allSettled(sent);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: expect.any(FencedError) });
    expect(received).toEqual(['/first', '/last']);
    await transport.close();
  });

  it('rejects with the abort reason of its caller', async () => {
    const transport = new UndiciTransport({ tls: { verify: false }, connections: 1, connectTimeoutMs: 5_000 });

    const sent = transport.send({ method: 'GET', url, headers: {} }, AbortSignal.abort('stop'));

    await expect(sent).rejects.toBe('stop');
    await transport.close();
  });
});
