import { constants } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { peerNetwork } from '@fairway/apiserver/server/peer-network';
import { GroupedSets } from '@fairway/base/grouped-sets';
import { type Server, ServerCredentials } from '@grpc/grpc-js';

/** A cluster's autoscaler has one connection, and a second one during a failover. */
const MAX_OF_CLUSTER = 8;
/** Connections before the end of their handshake: after a restart, all autoscalers reconnect at once. */
const MAX_HANDSHAKES = 1_024;
const MAX_HANDSHAKES_OF_NETWORK = 256;
const HANDSHAKE_MS = 10_000;

export interface ServerTls {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** The authority of the clients' certificates. */
  readonly authorityPem: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: ServerTls;
  /** The client of a certificate; empty for certificates of no client, which count as one. */
  readonly holderOf: (certificate: Buffer | undefined) => string;
}

export interface Listener {
  readonly port: number;
  /** Ends open connections. */
  close(): void;
}

/**
 * Accepts connections for a gRPC server, which itself limits neither their number nor, below two minutes, their handshakes. Over the limit, further
 * handshakes of a network are rejected, and the oldest connection of a cluster is closed. Rejects if it can't listen there.
 */
export async function listenWithin(
  { host, port, tls, holderOf }: ListenOptions,
  server: Pick<Server, 'createConnectionInjector'>,
): Promise<Listener> {
  // TLS is already terminated; calls see the socket's certificate.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const handshakes = new Handshakes();
  const clients = new ClientConnections();
  const open = new Set<Socket>();
  const listening = createServer({
    cert: tls.certificatePem,
    key: tls.privateKeyPem,
    ca: tls.authorityPem,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
    handshakeTimeout: HANDSHAKE_MS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  listening.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    handshakes.begin(socket);
  });
  listening.on('tlsClientError', (_error, socket) => socket.destroy());
  listening.on('secureConnection', (socket) => {
    handshakes.end(socket);
    socket.on('error', () => socket.destroy());
    clients.add(holderOf(socket.getPeerCertificate().raw), socket);
    injector.injectConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    listening.once('error', reject);
    listening.listen(port, host, () => {
      listening.off('error', reject);
      resolve();
    });
  });
  return {
    port: (listening.address() as AddressInfo).port,
    close: () => {
      listening.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Connections before the end of their handshake, by network. */
class Handshakes {
  readonly #networks = new GroupedSets<string>();

  begin(socket: Socket): void {
    const network = peerNetwork(socket.remoteAddress ?? '');
    if (this.#networks.size >= MAX_HANDSHAKES || this.#networks.sizeOf(network) >= MAX_HANDSHAKES_OF_NETWORK) {
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
    if (oldest === undefined || this.#open.sizeOf(client) <= MAX_OF_CLUSTER) return;
    this.#open.delete(client, oldest);
    oldest.destroy();
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
