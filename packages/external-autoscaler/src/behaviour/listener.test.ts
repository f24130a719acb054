import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { systemClock } from '@fairway/base/clock';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { Server } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { autoscalerServerTls, issueAutoscalerCertificate } from '../certificates.ts';
import { type Listener, listenWithLimits } from '../listener.ts';

const authority = await createCertificateAuthority({
  commonName: 'autoscalers',
  clock: systemClock,
  validityMs: 86_400_000,
});
const tls = await autoscalerServerTls(authority, [], systemClock);

let listener: Listener;
let server: Server;
const sockets: Socket[] = [];
const sessions: ClientHttp2Session[] = [];

beforeEach(async () => {
  server = new Server({ 'grpc.max_concurrent_streams': 16 });
  const holderOf = (certificate: Buffer | undefined) => certificate?.toString('base64') ?? '';
  listener = await listenWithLimits({ host: '0.0.0.0', port: 0, tls, holderOf }, server);
});
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  listener.close();
  server.forceShutdown();
});

async function clientCertificate() {
  const cluster = { metadata: { name: 'demo', namespace: 'team', uid: crypto.randomUUID() } };
  const issued = await issueAutoscalerCertificate(
    authority,
    { cluster: cluster as never, validityMs: 86_400_000 },
    systemClock,
  );
  return { key: issued.privateKeyPem, cert: issued.certificatePem };
}

/** A connection that never sends anything. */
async function silentConnection(localAddress: string): Promise<Socket> {
  const socket = connectTcp({ host: '127.0.0.1', port: listener.port, localAddress });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the server's HTTP/2 settings have arrived. */
async function session(certificate: object, localAddress = '127.0.0.1'): Promise<ClientHttp2Session> {
  const options = { ...certificate, ca: authority.certificatePem, servername: 'localhost', localAddress };
  const opened = connectHttp2(`https://127.0.0.1:${listener.port}`, {
    ...options,
    checkServerIdentity: () => undefined,
  });
  sessions.push(opened);
  opened.on('error', () => {});
  await once(opened, 'remoteSettings');
  return opened;
}

test('incomplete handshakes block only their own network', async () => {
  const allowed = 256;
  const overLimit = 44;
  let refusedCount = 0;
  const { promise: isFull, resolve } = Promise.withResolvers<void>();
  for (let at = 0; at < allowed + overLimit; at++) {
    const socket = await silentConnection('127.0.0.2');
    socket.once('close', () => {
      refusedCount += 1;
      if (refusedCount === overLimit) resolve();
    });
    socket.resume();
  }
  await isFull;

  const acceptedSession = await session(await clientCertificate());

  expect(acceptedSession.destroyed).toBe(false);
  expect(refusedCount).toBe(overLimit);
});

test('a client may have eight connections, and the next closes the oldest', async () => {
  const certificate = await clientCertificate();
  const other = await session(await clientCertificate());
  const own = [];
  for (let at = 0; at < 8; at++) own.push(await session(certificate));
  const closedSession = once(own[0] as ClientHttp2Session, 'close');

  await session(certificate);
  await closedSession;

  expect(own.map(({ destroyed }) => destroyed)).toEqual([true, ...Array.from({ length: 7 }, () => false)]);
  expect(other.destroyed).toBe(false);
});
