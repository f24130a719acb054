import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '@fairway/base/clock';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { PodNetwork } from '../../../process/egress/pod-network.ts';

const HOUR_MS = 3_600_000;
const POD_ADDRESS = '10.2.1.7';

let authority: CertificateAuthority;
let server: Server;
/** Requests to list pods and to forward ports, with the client's user. */
let queriedNames: string[];
/** Nodes to which connections were made. */
let dialled: string[];
/** What the kubelet does with a port, once it has confirmed the port number. */
let serve: (webSocket: WebSocket) => void;
let nodeAddress: string;

async function pair(commonName: string, usages: 'client' | 'server') {
  const ipAddresses = usages === 'server' ? ['127.0.0.1'] : [];
  const options = { commonName, ipAddresses, usages, clock: systemClock, validityMs: HOUR_MS };
  const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, options);
  return { certificate: certificatePem, privateKey: privateKeyPem };
}

function respond({ url = '' }: IncomingMessage): string {
  queriedNames.push(url);
  const matchesPodAddress = new URL(url, 'https://x').searchParams.get('fieldSelector')?.includes(`=${POD_ADDRESS},`);
  const pod = { metadata: { namespace: 'shop', name: 'hook', uid: 'u1' }, status: { hostIP: nodeAddress } };
  return JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: matchesPodAddress ? [pod] : [] });
}

/** A single server acts as both the API server and the kubelet at 127.0.0.1. */
beforeEach(async () => {
  queriedNames = [];
  dialled = [];
  nodeAddress = '127.0.0.1';
  serve = (webSocket) => webSocket.on('message', (message) => webSocket.send(message));
  authority = await createCertificateAuthority({ commonName: 'test', clock: systemClock, validityMs: HOUR_MS });
  const { certificate, privateKey } = await pair('server', 'server');
  const tls = { cert: certificate, key: privateKey, ca: authority.certificatePem, requestCert: true };
  server = createServer(tls, (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(respond(request));
  });
  const webSockets = new WebSocketServer({ noServer: true, handleProtocols: ([first]) => first ?? false });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    queriedNames.push(`${(socket as TLSSocket).getPeerCertificate().subject.CN} ${request.url}`);
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const port = Number(new URL(request.url ?? '', 'https://x').searchParams.get('port'));
      for (const channel of [0, 1]) webSocket.send(Buffer.from([channel, port & 255, port >> 8]));
      serve(webSocket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function podNetwork(): Promise<PodNetwork> {
  const endpoint = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const apiServer = {
    endpoint,
    certificateAuthority: authority.certificatePem,
    ...(await pair('fairway:controllers', 'client')),
  };
  const access = { apiServer, kubeletClient: await pair('kube-apiserver-kubelet-client', 'client') };
  return new PodNetwork(access, {
    resolve: () => Promise.reject(new Error('a pod has no name')),
    async connect(address, port) {
      dialled.push(`${address}:${port}`);
      const socket = connect(endpoint.port, endpoint.host);
      await once(socket, 'connect');
      return socket;
    },
  });
}

const allowAny = () => undefined;

async function open(): Promise<Duplex> {
  const stream = await (await podNetwork()).connect(POD_ADDRESS, 8443, allowAny);
  if (stream === undefined) throw new Error('there is no such pod');
  return stream;
}

test('forwards a port through the node’s kubelet, which authenticates the client as the API server', async () => {
  const stream = await open();
  stream.write('hello');
  const [received] = await once(stream, 'data');
  stream.destroy();

  expect(String(received)).toBe('hello');
  expect(dialled).toEqual(['127.0.0.1:10250']);
  expect(queriedNames.at(-1)).toBe('kube-apiserver-kubelet-client /portForward/shop/hook/u1?port=8443');
  expect(decodeURIComponent(queriedNames[0] ?? '')).toContain(
    'fieldSelector=status.podIP=10.2.1.7,status.phase=Running',
  );
});

test('delivers bytes completely and in order, even if they exceed every buffer', async () => {
  const stream = await open();
  const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));
  const chunks: Buffer[] = [];
  for (let at = 0; at < sent.length; at += 65_536) stream.write(sent.subarray(at, at + 65_536));
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    if (chunks.reduce((sum, { length }) => sum + length, 0) === sent.length) break;
  }

  expect(Buffer.concat(chunks).equals(sent)).toBe(true);
});

test('does not read from the pod while nothing reads the connection', async () => {
  let isDelayed = false;
  serve = (webSocket) => {
    const more = () => {
      isDelayed = webSocket.bufferedAmount > 0;
      if (!isDelayed) webSocket.send(Buffer.alloc(65_536), () => setImmediate(more));
    };
    more();
  };
  const stream = await open();

  await expect.poll(() => isDelayed).toBe(true);
  expect(stream.readableLength).toBeLessThan(2 ** 20);
  stream.destroy();
});

test('ends a connection that the pod closes', async () => {
  serve = (webSocket) => {
    webSocket.send(Buffer.from('\0bye'));
    webSocket.close();
  };

  expect(await text(await open())).toBe('bye');
});

test('fails with the runtime’s error if no process listens on the port', async () => {
  serve = (webSocket) => {
    webSocket.send(Buffer.from('\x01connection refused'));
    webSocket.close();
  };

  await expect(text(await open())).rejects.toThrow('connection refused');
});

test('times out if a node sends an endless response byte by byte', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() };
  server.removeAllListeners('upgrade');
  const kubelet = Promise.withResolvers<Duplex>();
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined).resume();
    socket.write('HTTP/1.1 101 Switching Protocols\r\nx: ');
    kubelet.resolve(socket);
  });

  const failed = open().catch(({ message }: Error) => message);
  const socket = await kubelet.promise;
  const closed = once(socket, 'close');
  for (let seconds = 0; seconds < 5; seconds++) {
    await new Promise((resolve) => socket.write('x', resolve));
    vi.advanceTimersByTime(1_000);
  }

  expect(await failed).toContain('does not forward the connection: no answer within 5 s');
  await closed;
});

test('connects to only a few pods, however many claim the address', async () => {
  (await open()).destroy();

  expect(new URL(queriedNames[0] ?? '', 'https://x').searchParams.get('limit')).toBe('16');
});

test.each([
  { frame: Buffer.from([0xff, 0xff, 0xff, 0xff]), reason: 'an invalid WebSocket frame' },
  {
    frame: Buffer.from([0x82, 0x05, 0x01, 1, 2, 3, 4, 0x88, 0x00]),
    reason: 'an immediate error and the end of the stream',
  },
])('fails only that connection if a node responds with $reason in the same packet', async ({ frame }) => {
  server.removeAllListeners('upgrade');
  server.on('upgrade', ({ headers }: IncomingMessage, socket: Duplex) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n`;
    socket.on('error', () => undefined).resume();
    socket.end(Buffer.concat([Buffer.from(head), frame]));
  });

  const stream = await (await podNetwork()).connect(POD_ADDRESS, 8443, allowAny).catch(() => undefined);
  if (stream !== undefined) await finished(stream.resume()).catch(() => undefined);
  expect(stream?.destroyed ?? true).toBe(true);
});

test.each([
  { address: '10.2.1.8', policy: allowAny, reason: 'no pod has the address' },
  { address: POD_ADDRESS, policy: () => 'not that one', reason: 'the reported node may not be reached' },
])('does not connect if $reason', async ({ address, policy }) => {
  expect(await (await podNetwork()).connect(address, 8443, policy)).toBeUndefined();
  expect(dialled).toEqual([]);
});

test('does not trust a node whose certificate is not for its address', async () => {
  nodeAddress = '127.0.0.9';

  await expect(open()).rejects.toThrow(
    /kubelet of pod shop\/hook at 127\.0\.0\.9 does not forward the connection: .*altnames/,
  );
});
