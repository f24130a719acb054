import { X509Certificate } from 'node:crypto';
import { systemClock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { FencedError } from '@fairway/base/fence';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HttpsTransportOptions } from '../../client/https-transport.ts';
import { type LocalCredentials, type LocalServer, LocalServers } from '../../client/local-servers.ts';
import { type Transport, TransportError, type TransportRequest } from '../../client/transport.ts';
import { createCertificateAuthority } from '../../pki/certificate-authority.ts';
import { issueCertificate } from '../../pki/issue-certificate.ts';
import { startTlsServer, type TlsServer } from '../../testing/tls-server.ts';

const GET: TransportRequest = { method: 'GET', path: '/version' };
const HOUR_MS = 3_600_000;

/** Responds with `far`, and counts connections. */
let far: TlsServer;
let locals: LocalServers;
let transports: Transport[];
let leave: () => void;
let near: NearServer;

/** Responds with `near`, and records the clients' credentials. */
class NearServer implements LocalServer {
  certificate: string;
  readonly shown: LocalCredentials[] = [];
  connections = 0;
  /** Delays its responses until resolved. */
  ready: Promise<unknown> = Promise.resolve();

  constructor(certificate: string) {
    this.certificate = certificate;
  }

  connect(credentials: () => LocalCredentials): Transport {
    this.connections++;
    let isClosed = false;
    return {
      request: async () => {
        if (isClosed) throw new TransportError('closed');
        this.shown.push(credentials());
        await this.ready;
        return {
          status: 200,
          headers: {},
          text: () => Promise.resolve('near'),
          async *lines() {},
        };
      },
      close: () => {
        isClosed = true;
      },
    };
  }
}

beforeEach(async () => {
  far = await startTlsServer((_, response) => response.end('far'));
  locals = new LocalServers();
  transports = [];
  near = new NearServer(await serverCertificate());
  leave = locals.add({ host: '127.0.0.1', port: Number(new URL(far.url).port) }, near);
});
afterEach(async () => {
  for (const transport of transports) transport.close();
  await far.close();
});

async function serverCertificate(validityMs = HOUR_MS, ipAddress = '127.0.0.1'): Promise<string> {
  const wanted = { commonName: 'kube-apiserver', ipAddresses: [ipAddress], usages: 'server', validityMs } as const;
  return (await issueCertificate(far.authority, { ...wanted, clock: systemClock })).certificatePem;
}

function connect(options: Partial<HttpsTransportOptions> = {}): Transport {
  const certificateAuthority = far.authority.certificatePem;
  const transport = locals.transport({ server: far.url, certificateAuthority, ...options });
  transports.push(transport);
  return transport;
}

async function ask(transport: Transport): Promise<string> {
  return (await transport.request(GET)).text();
}

test('reaches a server of this process without a connection', async () => {
  const transport = connect();
  expect(await ask(transport)).toBe('near');
  expect(await ask(transport)).toBe('near');
  expect(near.connections).toBe(1);
  expect(far.connections.accepted).toBe(0);
});

test('presents its current certificate and token, as the same array while the certificate is the same', async () => {
  let current = await far.issue('system:node:a');
  let token = 'first';
  const transport = connect({ clientCertificate: () => current, bearerToken: () => token });
  await ask(transport);
  token = 'second';
  await ask(transport);
  current = await far.issue('system:node:a');
  await ask(transport);

  expect(near.shown.map(({ bearerToken }) => bearerToken)).toEqual(['first', 'second', 'second']);
  const [first, second, third] = near.shown.map(({ clientCertificate }) => clientCertificate);
  expect(second).toBe(first);
  expect(third).toEqual(new X509Certificate(current.certificate).raw);
  expect(near.connections).toBe(1);
});

test('uses another server at the address once the local one is closed, and back', async () => {
  const transport = connect();
  leave();
  expect(await ask(transport)).toBe('far');
  locals.add({ host: '127.0.0.1', port: Number(new URL(far.url).port) }, near);
  expect(await ask(transport)).toBe('near');
});

test('uses the socket if TLS would fail, for its error message', async () => {
  const stranger = await createCertificateAuthority({
    commonName: 'stranger',
    clock: systemClock,
    validityMs: HOUR_MS,
  });
  await expect(ask(connect({ certificateAuthority: stranger.certificatePem }))).rejects.toThrow(TransportError);
  await expect(ask(connect({ serverName: 'elsewhere.example' }))).rejects.toThrow(TransportError);

  const [own, other] = [await far.issue('a'), await far.issue('b')];
  const stolen = { certificate: own.certificate, privateKey: other.privateKey };
  await expect(ask(connect({ clientCertificate: () => stolen }))).rejects.toThrow('key values mismatch');
  expect(near.connections).toBe(0);
});

test.each([
  { reason: 'for another address', certificate: () => serverCertificate(HOUR_MS, '192.0.2.1') },
  { reason: 'that has expired', certificate: () => serverCertificate(1) },
])('does not trust a server with a certificate $reason', async ({ certificate }) => {
  near.certificate = await certificate();
  const later = { ...systemClock, now: () => Date.now() + 60_000 };
  expect(await ask(connect({ clock: later }))).toBe('far');
  near.certificate = await serverCertificate();
  expect(await ask(connect({ clock: later }))).toBe('near');
});

test('sends nothing once the grant is lost, and nothing after it was closed', async () => {
  const transport = connect();
  const beforeWrite = () => {
    throw new FencedError('team/demo', 'POST /');
  };
  await expect(transport.request({ method: 'POST', path: '/', body: '{}', beforeWrite })).rejects.toThrow(FencedError);
  transport.close();
  await expect(ask(transport)).rejects.toThrow(TransportError);
  expect(near.shown).toEqual([]);
});

test('waits for a server of this process no longer than for another one', async () => {
  near.ready = new Promise(() => {});
  const clock = new FakeClock();
  const abort = new AbortController();
  const transport = connect({ clock, insecureSkipTlsVerify: true, requestTimeoutMs: 1000 });
  const outcomes = Promise.allSettled([transport.request(GET), transport.request({ ...GET, signal: abort.signal })]);
  await expect.poll(() => near.shown.length).toBe(2);
  abort.abort(new Error('not wanted any more'));
  await clock.advance(1000);
  expect((await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
    `GET /version at ${far.url}: no complete response within 1000 ms`,
    'not wanted any more',
  ]);

  const last = transport.request(GET);
  await expect.poll(() => near.shown.length).toBe(3);
  transport.close();
  await expect(last).rejects.toThrow('the transport is closed');
  expect(clock.pendingTimers).toBe(0);
});
