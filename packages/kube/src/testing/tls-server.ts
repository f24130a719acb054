import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '@fairway/base/clock';
import { type CertificateAuthority, createCertificateAuthority } from '../pki/certificate-authority.ts';
import { issueCertificate } from '../pki/issue-certificate.ts';

const HOUR_MS = 3_600_000;

export interface TlsServer {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly authority: CertificateAuthority;
  /** The number of connections accepted so far, and the open ones. */
  readonly connections: { readonly accepted: number; readonly open: ReadonlySet<Socket> };
  /** Every byte received, connection after connection, as Latin-1. */
  readonly received: readonly string[];
  /** Issues a client certificate that the server trusts. */
  issue(commonName: string): Promise<{ readonly certificate: string; readonly privateKey: string }>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface TlsServerOptions {
  /** Whether the server offers HTTP/2; false by default, like the embedded API server. */
  readonly http2?: boolean;
  /** Maximum concurrent requests per connection. */
  readonly maxConcurrentStreams?: number;
}

/** An HTTPS server on loopback with its own CA; client certificates are requested but optional. */
export async function startTlsServer(
  listener: RequestListener,
  { http2 = false, maxConcurrentStreams }: TlsServerOptions = {},
): Promise<TlsServer> {
  const clock = systemClock;
  const authority = await createCertificateAuthority({ commonName: 'test', clock, validityMs: HOUR_MS });
  const issue = async (commonName: string, usages: 'client' | 'server') => {
    const ipAddresses = usages === 'server' ? ['127.0.0.1'] : [];
    const issued = await issueCertificate(authority, { commonName, ipAddresses, usages, clock, validityMs: HOUR_MS });
    return { certificate: issued.certificatePem, privateKey: issued.privateKeyPem ?? '' };
  };
  const { certificate, privateKey } = await issue('server', 'server');
  const tls = {
    cert: certificate,
    key: privateKey,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  };
  const settings = maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams };
  // Listeners use only what the HTTP/1.1 and HTTP/2 types of requests and responses share.
  const http2Listener = listener as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  const server = http2
    ? createSecureServer({ ...tls, allowHTTP1: true, settings }, http2Listener)
    : createServer(tls, listener);
  const open = new Set<Socket>();
  const connections = { accepted: 0, open };
  const received: string[] = [];
  server.on('secureConnection', (socket: Socket) => {
    const index = connections.accepted++;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    received[index] = '';
    socket.on('data', (chunk: Buffer) => {
      received[index] += chunk.toString('latin1');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    authority,
    connections,
    received,
    issue: (commonName) => issue(commonName, 'client'),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
