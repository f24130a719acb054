import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { systemClock } from '@fairway/base/clock';
import { splitPemBundle } from '../pki/certificate-info.ts';
import type { ClientCertificate } from './https-connections.ts';
import { DEFAULT_REQUEST_TIMEOUT_MS, HttpsTransport, type HttpsTransportOptions } from './https-transport.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from './transport.ts';

/**
 * The credentials that a client in this process presents instead of a TLS certificate and an `Authorization` header.
 */
export interface LocalCredentials {
  /** DER; the same array while the certificate is unchanged. */
  readonly clientCertificate: Uint8Array | undefined;
  readonly bearerToken: string | undefined;
}

/** An API server in this process. */
export interface LocalServer {
  /** PEM of the certificate that the server presents over TLS. */
  readonly certificate: string;
  /** Requests without sockets, authenticated by `credentials`, which are checked for each request. */
  connect(credentials: () => LocalCredentials): Transport;
}

/**
 * The API servers in this process by address, for clients in the same process. Requests, credentials and responses are
 * the same, but without sockets and TLS, which cost about 100 KB per connection on each end. A client that does not
 * trust the server's certificate, or lacks its own key, uses a socket and fails there.
 */
export class LocalServers {
  readonly #servers = new Map<string, LocalServer>();

  /** Returns a function that unregisters the server; clients of its address then use the socket again. */
  add({ host, port }: { readonly host: string; readonly port: number }, server: LocalServer): () => void {
    const address = addressOf(host, port);
    this.#servers.set(address, server);
    return () => {
      if (this.#servers.get(address) === server) this.#servers.delete(address);
    };
  }

  at(address: string): LocalServer | undefined {
    return this.#servers.get(address);
  }

  /** Checks for each request whether the server is in this process, because control planes move. */
  transport(options: HttpsTransportOptions): Transport {
    return new LocalFirstTransport(this, options);
  }
}

interface Connection {
  readonly server: LocalServer;
  /** The server's certificate when it was last verified. */
  readonly certificate: string;
  readonly transport: Transport;
}

interface Identity {
  readonly pem: ClientCertificate;
  readonly der: Uint8Array;
  readonly hasMatchingKey: boolean;
}

class LocalFirstTransport implements Transport {
  readonly #servers: LocalServers;
  readonly #options: HttpsTransportOptions;
  readonly #address: string | undefined;
  readonly #name: string;
  #connection: Connection | undefined;
  #remote: HttpsTransport | undefined;
  #identity: Identity | undefined;
  #credentials: LocalCredentials = { clientCertificate: undefined, bearerToken: undefined };
  /** Aborts requests that are waiting for a response. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  #isClosed = false;

  constructor(servers: LocalServers, options: HttpsTransportOptions) {
    const { hostname, port, pathname } = new URL(options.server);
    this.#servers = servers;
    this.#options = options;
    this.#name = options.serverName ?? stripBrackets(hostname);
    this.#address = pathname === '/' ? addressOf(stripBrackets(hostname), port === '' ? 443 : Number(port)) : undefined;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const local = await this.#localTransport();
    if (local === undefined) return this.#remoteTransport().request(request);
    request.signal?.throwIfAborted();
    request.beforeWrite?.();
    return this.#withTimeout(request, local.request(request));
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.transport.close();
    for (const end of this.#waiting) end(new TransportError(`${this.#options.server}: the transport is closed`));
    this.#remote?.close();
  }

  /**
   * Applies a timeout as a socket transport does, because a local server may itself wait for a remote server that a
   * tenant runs. The server bounds response bodies itself.
   */
  #withTimeout(request: TransportRequest, response: Promise<TransportResponse>): Promise<TransportResponse> {
    const { clock = systemClock, requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS, server } = this.#options;
    const { method, path, signal } = request;
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
    const deadline = clock.after(requestTimeoutMs, () =>
      reject(new TransportError(`${method} ${path} at ${server}: no complete response within ${requestTimeoutMs} ms`)),
    );
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(reject);
    const settle = () => {
      deadline.cancel();
      signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(reject);
    };
    response.then(resolve, reject);
    promise.then(settle, settle);
    return promise;
  }

  /** Undefined if the socket must be used. */
  async #localTransport(): Promise<Transport | undefined> {
    if (this.#address === undefined || this.#servers.at(this.#address) === undefined) return undefined;
    const { clientCertificate, bearerToken } = this.#options;
    const [pem, token] = await Promise.all([clientCertificate?.(), bearerToken?.()]);
    if (this.#isClosed) throw new TransportError(`${this.#options.server}: the transport is closed`);
    const server = this.#servers.at(this.#address);
    const identity = pem && this.#identityOf(pem);
    if (server === undefined || identity?.hasMatchingKey === false) return undefined;
    this.#credentials = { clientCertificate: identity?.der, bearerToken: token };
    return this.#connectionTo(server)?.transport;
  }

  #connectionTo(server: LocalServer): Connection | undefined {
    const { certificate } = server;
    const known = this.#connection;
    if (known?.server === server && known.certificate === certificate) return known;
    if (!this.#isTrusted(certificate)) return undefined;
    // Watches on the stopped server end.
    const transport = known?.server === server ? known.transport : server.connect(() => this.#credentials);
    this.#connection = { server, certificate, transport };
    return this.#connection;
  }

  #isTrusted(pem: string): boolean {
    const { certificateAuthority = '', insecureSkipTlsVerify, clock = systemClock } = this.#options;
    if (insecureSkipTlsVerify) return true;
    const certificate = new X509Certificate(pem);
    const nowMs = clock.now();
    if (nowMs < Date.parse(certificate.validFrom) || nowMs > Date.parse(certificate.validTo)) return false;
    const matchedName = isIP(this.#name) ? certificate.checkIP(this.#name) : certificate.checkHost(this.#name);
    return (
      matchedName !== undefined &&
      splitPemBundle(certificateAuthority)
        .map((authority) => new X509Certificate(authority))
        .some((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey))
    );
  }

  #identityOf(pem: ClientCertificate): Identity {
    const known = this.#identity;
    if (known?.pem.certificate === pem.certificate && known.pem.privateKey === pem.privateKey) return known;
    const certificate = new X509Certificate(pem.certificate);
    const hasMatchingKey = certificate.checkPrivateKey(createPrivateKey(pem.privateKey));
    this.#identity = { pem, der: certificate.raw, hasMatchingKey };
    return this.#identity;
  }

  #remoteTransport(): HttpsTransport {
    this.#remote ??= new HttpsTransport(this.#options);
    if (this.#isClosed) this.#remote.close();
    return this.#remote;
  }
}

function addressOf(host: string, port: number): string {
  return `${host} ${port}`;
}

function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
