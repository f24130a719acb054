import { constants } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { peerNetwork } from '@fairway/apiserver/server/peer-network';
import { GroupedSets } from '@fairway/base/grouped-sets';
import { type Server, ServerCredentials } from '@grpc/grpc-js';

/** A cluster's autoscaler has one connection, and a second one during a failover. */
const MAX_CONNECTIONS_PER_CLUSTER = 8;
/** Limit on incomplete handshakes: after a restart, all autoscalers reconnect at the same time. */
const MAX_HANDSHAKES = 1_024;
const MAX_HANDSHAKES_PER_NETWORK = 256;
const HANDSHAKE_TIMEOUT_MS = 10_000;

export interface ServerTls {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** The CA of the clients' certificates. */
  readonly authorityPem: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: ServerTls;
  /** The client to which a certificate was issued. Empty for certificates without a client, which share one limit. */
  readonly holderOf: (certificate: Buffer | undefined) => string;
}

export interface Listener {
  readonly port: number;
  /** Closes open connections. */
  close(): void;
}

/**
 * Accepts connections for a gRPC server, which limits neither the number of connections nor handshakes of less than two
 * minutes. Over the limit, new handshakes from a network are rejected, and a cluster's oldest connection is closed.
 * Rejects if the port can't be opened.
 */
export async function listenWithLimits(
  { host, port, tls, holderOf }: ListenOptions,
  server: Pick<Server, 'createConnectionInjector'>,
): Promise<Listener> {
  // TLS is already terminated; calls see the socket's certificate.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const handshakes = new Handshakes();
  const clients = new ClientConnections();
  const open = new Set<Socket>();
  const tlsServer = createServer({
    cert: tls.certificatePem,
    key: tls.privateKeyPem,
    ca: tls.authorityPem,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  tlsServer.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    handshakes.begin(socket);
  });
  tlsServer.on('tlsClientError', (_error, socket) => socket.destroy());
  tlsServer.on('secureConnection', (socket) => {
    handshakes.end(socket);
    socket.on('error', () => socket.destroy());
    clients.add(holderOf(socket.getPeerCertificate().raw), socket);
    injector.injectConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    tlsServer.once('error', reject);
    tlsServer.listen(port, host, () => {
      tlsServer.off('error', reject);
      resolve();
    });
  });
  return {
    port: (tlsServer.address() as AddressInfo).port,
    close: () => {
      tlsServer.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Connections whose handshake is not complete, by network. */
class Handshakes {
  readonly #networks = new GroupedSets<string>();

  begin(socket: Socket): void {
    const network = peerNetwork(socket.remoteAddress ?? '');
    if (this.#networks.size >= MAX_HANDSHAKES || this.#networks.sizeOf(network) >= MAX_HANDSHAKES_PER_NETWORK) {
      socket.destroy();
      return;
    }
    // A closed socket has no address.
    const key = keyOf(socket);
    this.#networks.add(network, key);
    socket.once('close', () => this.#networks.delete(network, key));
  }

  end(socket: TLSSocket): void {
    this.#networks.delete(peerNetwork(socket.remoteAddress ?? ''), keyOf(socket));
  }
}

/** Connections by client, the oldest first. */
class ClientConnections {
  readonly #open = new GroupedSets<TLSSocket>();

  add(client: string, socket: TLSSocket): void {
    this.#open.add(client, socket);
    socket.once('close', () => this.#open.delete(client, socket));
    const oldest = this.#open.oldestOf(client);
    if (oldest === undefined || this.#open.sizeOf(client) <= MAX_CONNECTIONS_PER_CLUSTER) return;
    this.#open.delete(client, oldest);
    oldest.destroy();
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
