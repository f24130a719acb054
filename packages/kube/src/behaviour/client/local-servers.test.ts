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

/** Responds with the text `far`, and counts connections. */
let remote: TlsServer;
let localServers: LocalServers;
let transports: Transport[];
let unregister: () => void;
let local: FakeLocalServer;

/** Responds with the text `near`, and records the clients' credentials. */
class FakeLocalServer implements LocalServer {
  certificate: string;
  readonly presentedCredentials: LocalCredentials[] = [];
  connections = 0;
  /** Responses wait for this promise. */
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
        this.presentedCredentials.push(credentials());
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
  remote = await startTlsServer((_, response) => response.end('far'));
  localServers = new LocalServers();
  transports = [];
  local = new FakeLocalServer(await serverCertificate());
  unregister = localServers.add({ host: '127.0.0.1', port: Number(new URL(remote.url).port) }, local);
});
afterEach(async () => {
  for (const transport of transports) transport.close();
  await remote.close();
});

async function serverCertificate(validityMs = HOUR_MS, ipAddress = '127.0.0.1'): Promise<string> {
  const certificateOptions = {
    commonName: 'kube-apiserver',
    ipAddresses: [ipAddress],
    usages: 'server',
    validityMs,
  } as const;
  return (await issueCertificate(remote.authority, { ...certificateOptions, clock: systemClock })).certificatePem;
}

function connect(options: Partial<HttpsTransportOptions> = {}): Transport {
  const certificateAuthority = remote.authority.certificatePem;
  const transport = localServers.transport({ server: remote.url, certificateAuthority, ...options });
  transports.push(transport);
  return transport;
}

async function getText(transport: Transport): Promise<string> {
  return (await transport.request(GET)).text();
}

test('reaches a server in the same process without a network connection', async () => {
  const transport = connect();
  expect(await getText(transport)).toBe('near');
  expect(await getText(transport)).toBe('near');
  expect(local.connections).toBe(1);
  expect(remote.connections.accepted).toBe(0);
});

test('presents its current certificate and token, and reuses the array while the certificate is unchanged', async () => {
  let current = await remote.issue('system:node:a');
  let token = 'first';
  const transport = connect({ clientCertificate: () => current, bearerToken: () => token });
  await getText(transport);
  token = 'second';
  await getText(transport);
  current = await remote.issue('system:node:a');
  await getText(transport);

  expect(local.presentedCredentials.map(({ bearerToken }) => bearerToken)).toEqual(['first', 'second', 'second']);
  const [first, second, third] = local.presentedCredentials.map(({ clientCertificate }) => clientCertificate);
  expect(second).toBe(first);
  expect(third).toEqual(new X509Certificate(current.certificate).raw);
  expect(local.connections).toBe(1);
});

test('uses the socket once the local server is closed, and the local server again when it is back', async () => {
  const transport = connect();
  unregister();
  expect(await getText(transport)).toBe('far');
  localServers.add({ host: '127.0.0.1', port: Number(new URL(remote.url).port) }, local);
  expect(await getText(transport)).toBe('near');
});

test('falls back to the socket if TLS would fail, to get the TLS error message', async () => {
  const otherAuthority = await createCertificateAuthority({
    commonName: 'stranger',
    clock: systemClock,
    validityMs: HOUR_MS,
  });
  await expect(getText(connect({ certificateAuthority: otherAuthority.certificatePem }))).rejects.toThrow(
    TransportError,
  );
  await expect(getText(connect({ serverName: 'elsewhere.example' }))).rejects.toThrow(TransportError);

  const [own, other] = [await remote.issue('a'), await remote.issue('b')];
  const mismatchedPair = { certificate: own.certificate, privateKey: other.privateKey };
  await expect(getText(connect({ clientCertificate: () => mismatchedPair }))).rejects.toThrow('key values mismatch');
  expect(local.connections).toBe(0);
});

test.each([
  { reason: 'a certificate for another address', certificate: () => serverCertificate(HOUR_MS, '192.0.2.1') },
  { reason: 'an expired certificate', certificate: () => serverCertificate(1) },
])('does not trust a server with $reason', async ({ certificate }) => {
  local.certificate = await certificate();
  const later = { ...systemClock, now: () => Date.now() + 60_000 };
  expect(await getText(connect({ clock: later }))).toBe('far');
  local.certificate = await serverCertificate();
  expect(await getText(connect({ clock: later }))).toBe('near');
});

test('sends nothing once the grant is lost or the transport is closed', async () => {
  const transport = connect();
  const beforeWrite = () => {
    throw new FencedError('team/demo', 'POST /');
  };
  await expect(transport.request({ method: 'POST', path: '/', body: '{}', beforeWrite })).rejects.toThrow(FencedError);
  transport.close();
  await expect(getText(transport)).rejects.toThrow(TransportError);
  expect(local.presentedCredentials).toEqual([]);
});

test('applies the same timeout to a local server as to a remote one', async () => {
  local.ready = new Promise(() => {});
  const clock = new FakeClock();
  const abort = new AbortController();
  const transport = connect({ clock, insecureSkipTlsVerify: true, requestTimeoutMs: 1000 });
  const outcomes = Promise.allSettled([transport.request(GET), transport.request({ ...GET, signal: abort.signal })]);
  await expect.poll(() => local.presentedCredentials.length).toBe(2);
  abort.abort(new Error('not wanted any more'));
  await clock.advance(1000);
  expect((await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
    `GET /version at ${remote.url}: no complete response within 1000 ms`,
    'not wanted any more',
  ]);

  const last = transport.request(GET);
  await expect.poll(() => local.presentedCredentials.length).toBe(3);
  transport.close();
  await expect(last).rejects.toThrow('the transport is closed');
  expect(clock.pendingTimers).toBe(0);
});
