import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Connections } from './connections.ts';
import { onExchangeEnd } from './exchange-end.ts';
import type { Traffic } from './traffic.ts';
import { type MayUpgrade, neverUpgrade, UpgradeResponse } from './upgrade-response.ts';

/** PEM of the server's certificate and key and of the client CAs. */
export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
  /** CAs for client certificates, which are requested and verified if presented; requests without one are accepted. */
  readonly clientCa?: string;
}

/** A separate certificate for clients that request one of its names (SNI). */
export type CertificateByName = (serverName: string) => SecureContext | undefined;

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: TlsOptions;
  readonly certificateFor?: CertificateByName | undefined;
}

export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Uses a different certificate or different client CAs for new connections. */
  setTls(tls: TlsOptions): void;
  /** Lets running requests finish, then ends all connections. */
  close(): Promise<void>;
}

/** How often Node checks for request timeouts. */
const CHECK_INTERVAL_MS = 5_000;
/** Grace period for running requests when the server closes. */
const CLOSE_GRACE_MS = 5_000;

export async function listen(
  { host, port, tls, certificateFor }: ListenOptions,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  traffic: Traffic,
  mayUpgrade: MayUpgrade = neverUpgrade,
): Promise<Listener> {
  const { handshakeTimeoutMs, headersTimeoutMs, bodyTimeoutMs, keepAliveTimeoutMs } = traffic.limits;
  const server = createServer({
    ...contextOf(tls),
    ...(certificateFor && { SNICallback: byName(certificateFor) }),
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    // Overrides the process's flags: a lenient parser allows request smuggling.
    insecureHTTPParser: false,
    handshakeTimeout: handshakeTimeoutMs,
    headersTimeout: headersTimeoutMs,
    // Limits the request, not the response, because watches have no time limit. Bodies read here have a separate
    // deadline; forwarded bodies have none.
    requestTimeout: headersTimeoutMs + bodyTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: keepAliveTimeoutMs,
    shouldUpgradeCallback: mayUpgrade,
  });
  const connections = new Connections(traffic);
  server.on('connection', (socket: Socket) => connections.accept(socket));
  server.on('secureConnection', (socket) => connections.markSecured(socket));
  server.on('request', (request, response) => {
    response.once('close', connections.beginRequest(request.socket));
    // While the server closes, clients on existing connections must reconnect, possibly to another process.
    if (!server.listening) response.setHeader('connection', 'close');
    handler(request, response);
  });
  const upgrading = new Set<Socket>();
  server.on('upgrade', (request, _socket, head) => {
    const { socket } = request;
    upgrading.add(socket);
    socket.once('close', () => upgrading.delete(socket));
    const response = upgradeResponseOf(request, head);
    if (response === undefined) return;
    onExchangeEnd(response, connections.beginRequest(socket));
    handler(request, response);
  });
  // A failed handshake is the client's error.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const urlHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `https://${urlHost}:${address.port}`,
    port: address.port,
    setTls: (next) => server.setSecureContext(contextOf(next)),
    close() {
      return new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
        // Node still counts upgrading sockets, but no longer closes them itself.
        for (const socket of upgrading) socket.destroy();
      });
    },
  };
}

/** Undefined if the connection was closed because the client did not wait for an earlier response. */
function upgradeResponseOf(request: IncomingMessage, head: Buffer): UpgradeResponse | undefined {
  try {
    return new UpgradeResponse(request, head);
  } catch {
    request.socket.destroy();
    return undefined;
  }
}

function byName(certificateFor: CertificateByName): NonNullable<ServerOptions['SNICallback']> {
  return (name, done) => done(null, certificateFor(name));
}

/**
 * Disables TLS renegotiation, as Go's server does: each renegotiation costs as much as a new connection, and no client
 * uses it.
 */
function contextOf({ cert, key, clientCa }: TlsOptions) {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert, key, secureOptions, ...(clientCa !== undefined && { ca: clientCa }) };
}
