import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '@fairway/base/log';
import type { ProcessUser } from '../process-user.ts';
import { isTokenWebhook, type TokenWebhook } from '../token-webhook.ts';
import { type Destination, parseDestination } from './connect-request.ts';
import type { EgressNetwork } from './egress-network.ts';
import { EGRESS_KINDS, type EgressKind, type EgressPolicy } from './egress-policy.ts';
import { listenInFolder } from './listen-in-folder.ts';
import type { KubeletPolicy, PodNetwork } from './pod-network.ts';
import { tunnel } from './tunnel.ts';

export interface EgressProxyOptions {
  /** The directory with a socket for each egress type; created if missing. */
  readonly folder: string;
  /** User that may connect in addition to this process's own user. */
  readonly user: ProcessUser | undefined;
  readonly network: EgressNetwork;
  readonly log: Logger;
}

/**
 * The maximum number of concurrent connections of one control plane: a kubelet uses one or two, and each `kubectl exec`
 * and `logs --follow` uses one.
 */
export const MAX_CONNECTIONS = 512;
/** A request contains only a name and a port. */
const MAX_HEADER_BYTES = 4096;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ADDRESSES = 4;

/** Socket name of an egress type. */
export function egressSocketName(kind: EgressKind): string {
  return `${kind}.sock`;
}

/**
 * The only egress of one cluster's kube-apiserver: an HTTP CONNECT proxy on Unix sockets, one for each egress type.
 *
 * **Guarantees.** It resolves names itself and connects to the address that the policy has checked, so DNS rebinding
 * has no effect. Connections, buffers and waits are bounded.
 *
 * **Caveats.** Established connections survive a change of the policy. All connections end with this process; API
 * servers reconnect once the next process listens.
 */
export class EgressProxy implements AsyncDisposable {
  readonly #options: EgressProxyOptions;
  readonly #servers: Server[] = [];
  readonly #connections = new Set<Socket>();
  #policy: EgressPolicy;
  /** Undefined if pods are not accessible yet. */
  #pods: Pick<PodNetwork, 'connect'> | undefined;
  #tokenWebhook: Pick<TokenWebhook, 'serve'> | undefined;

  private constructor(options: EgressProxyOptions, policy: EgressPolicy) {
    this.#options = options;
    this.#policy = policy;
  }

  /** Rejects if the sockets can't be created. */
  static async listen(options: EgressProxyOptions, policy: EgressPolicy): Promise<EgressProxy> {
    const proxy = new EgressProxy(options, policy);
    try {
      for (const kind of EGRESS_KINDS) await proxy.#listen(kind);
    } catch (error) {
      await proxy.close();
      throw error;
    }
    return proxy;
  }

  /** Replaces the policy for new connections. */
  set policy(policy: EgressPolicy) {
    this.#policy = policy;
  }

  /** Sets the access for new connections to pods. */
  set pods(pods: Pick<PodNetwork, 'connect'>) {
    this.#pods = pods;
  }

  /** Sets the token webhook for new connections; undefined disables it. */
  set tokenWebhook(webhook: Pick<TokenWebhook, 'serve'> | undefined) {
    this.#tokenWebhook = webhook;
  }

  /** Closes all connections and accepts no more. */
  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#connections) socket.destroy();
    await Promise.all(closed);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #listen(kind: EgressKind): Promise<void> {
    const server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    });
    server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.on('request', (_request, response) => {
      response.writeHead(405, { connection: 'close' }).end('only CONNECT is served here\n');
    });
    server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.#serve(kind, request.url, socket, head);
    });
    const { folder, user } = this.#options;
    await listenInFolder(server, folder, egressSocketName(kind), user, randomUUID().slice(0, 8));
    this.#servers.push(server);
  }

  async #serve(kind: EgressKind, authority: string | undefined, socket: Socket, head: Buffer): Promise<void> {
    const { log } = this.#options;
    // The socket closes when the client disconnects.
    socket.on('error', () => socket.destroy());
    const destination = parseDestination(authority);
    if (destination === undefined) return refuse(socket, 400, 'CONNECT requires host:port');
    if (this.#connections.size > MAX_CONNECTIONS) {
      return refuse(socket, 503, `${MAX_CONNECTIONS} connections of this API server are already open`);
    }
    if (isTokenWebhook(destination)) return this.#serveTokenWebhook(kind, socket, head);
    try {
      const upstream = await this.#connect(kind, destination);
      if ('refusal' in upstream) {
        log.info({ kind, ...destination, reason: upstream.refusal }, 'egress refused');
        return refuse(socket, 403, upstream.refusal);
      }
      if (socket.destroyed) return void upstream.destroy();
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      tunnel(socket, upstream);
    } catch (error) {
      refuse(socket, 502, error instanceof Error ? error.message : String(error));
    }
  }

  /** The name of the webhook is never resolved by DNS. */
  #serveTokenWebhook(kind: EgressKind, socket: Socket, head: Buffer): void {
    const webhook = this.#tokenWebhook;
    if (kind !== 'controlplane' || webhook === undefined) return refuse(socket, 403, 'this name is not served here');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    if (head.length > 0) socket.unshift(head);
    webhook.serve(socket);
  }

  /** Connects to a destination directly, or to a pod through its kubelet. */
  async #connect(kind: EgressKind, destination: Destination): Promise<Duplex | { readonly refusal: string }> {
    const judged = await this.#decide(kind, destination);
    const { host, port } = destination;
    if ('allowed' in judged) return connectToFirst(this.#options.network, judged.allowed, port);
    if (kind !== 'cluster' || isIP(host) === 0 || this.#pods === undefined) return judged;
    const kubeletPolicy: KubeletPolicy = (address, kubeletPort) => this.#policy(kind, address, kubeletPort);
    return (await this.#pods.connect(host, port, kubeletPolicy)) ?? judged;
  }

  /** The allowed addresses of a name, or the reason if there are none. */
  async #decide(
    kind: EgressKind,
    { host, port }: Destination,
  ): Promise<{ readonly allowed: readonly string[] } | { readonly refusal: string }> {
    const addresses = isIP(host) === 0 ? await this.#options.network.resolve(host) : [host];
    const refusals = addresses.map((address) => this.#policy(kind, address, port));
    const allowed = addresses.filter((_, index) => refusals[index] === undefined);
    if (allowed.length > 0) return { allowed: allowed.slice(0, MAX_ADDRESSES) };
    return { refusal: refusals[0] ?? `${host} has no address` };
  }
}

async function connectToFirst(network: EgressNetwork, addresses: readonly string[], port: number): Promise<Socket> {
  const failures: unknown[] = [];
  for (const address of addresses) {
    try {
      return await network.connect(address, port);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

/** The reason is in the status line, which kube-apiserver quotes in its own error. */
function refuse(socket: Socket, status: number, reason: string): void {
  if (socket.destroyed) return;
  const printable = reason.replaceAll(/[^ -~]/g, ' ').slice(0, 300);
  socket.end(`HTTP/1.1 ${status} ${printable}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
