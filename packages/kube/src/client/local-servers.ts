import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { systemClock } from '@fairway/base/clock';
import { splitPemBundle } from '../pki/certificate-info.ts';
import type { ClientCertificate } from './https-connections.ts';
import { DEFAULT_REQUEST_TIMEOUT_MS, HttpsTransport, type HttpsTransportOptions } from './https-transport.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from './transport.ts';

/** What a client in this process presents instead of a TLS certificate and an `Authorization` header. */
export interface LocalCredentials {
  /** DER; the same array while the certificate is the same. */
  readonly clientCertificate: Uint8Array | undefined;
  readonly bearerToken: string | undefined;
}

/** An API server of this process. */
export interface LocalServer {
  /** PEM of the certificate that it presents over TLS. */
  readonly certificate: string;
  /** Requests without sockets, authenticated by `credentials`, which are checked for each request. */
  connect(credentials: () => LocalCredentials): Transport;
}

/**
 * The API servers of this process by address, for clients in the same process: the same requests, credentials and responses without sockets and TLS,
 * which cost some 100 KB per connection on both ends. A client that does not trust the server's certificate, or lacks its own key, uses a socket and
 * fails there.
 */
export class LocalServers {
  readonly #servers = new Map<string, LocalServer>();

  /** Returns a function that unregisters it; its address then leads to the socket again. */
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

  /** Checks for each request whether the server is in this process, since control planes move. */
  transport(options: HttpsTransportOptions): Transport {
    return new NearestTransport(this, options);
  }
}

interface Connection {
  readonly server: LocalServer;
  /** Its certificate when it was last verified. */
  readonly certificate: string;
  readonly transport: Transport;
}

interface Identity {
  readonly pem: ClientCertificate;
  readonly der: Uint8Array;
  readonly holdsKey: boolean;
}

class NearestTransport implements Transport {
  readonly #servers: LocalServers;
  readonly #options: HttpsTransportOptions;
  readonly #address: string | undefined;
  readonly #name: string;
  #connection: Connection | undefined;
  #remote: HttpsTransport | undefined;
  #identity: Identity | undefined;
  #credentials: LocalCredentials = { clientCertificate: undefined, bearerToken: undefined };
  /** Aborts the requests that wait for a response. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  #isClosed = false;

  constructor(servers: LocalServers, options: HttpsTransportOptions) {
    const { hostname, port, pathname } = new URL(options.server);
    this.#servers = servers;
    this.#options = options;
    this.#name = options.serverName ?? bare(hostname);
    this.#address = pathname === '/' ? addressOf(bare(hostname), port === '' ? 443 : Number(port)) : undefined;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const near = await this.#near();
    if (near === undefined) return this.#far().request(request);
    request.signal?.throwIfAborted();
    request.beforeWrite?.();
    return this.#inTime(request, near.request(request));
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.transport.close();
    for (const end of this.#waiting) end(new TransportError(`${this.#options.server}: the transport is closed`));
    this.#remote?.close();
  }

  /** As with a socket: a server of this process may itself wait for another one that a tenant runs. It bounds response bodies itself. */
  #inTime(request: TransportRequest, answer: Promise<TransportResponse>): Promise<TransportResponse> {
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
    answer.then(resolve, reject);
    promise.then(settle, settle);
    return promise;
  }

  /** Undefined if the socket must be used. */
  async #near(): Promise<Transport | undefined> {
    if (this.#address === undefined || this.#servers.at(this.#address) === undefined) return undefined;
    const { clientCertificate, bearerToken } = this.#options;
    const [pem, token] = await Promise.all([clientCertificate?.(), bearerToken?.()]);
    if (this.#isClosed) throw new TransportError(`${this.#options.server}: the transport is closed`);
    const server = this.#servers.at(this.#address);
    const identity = pem && this.#identityOf(pem);
    if (server === undefined || identity?.holdsKey === false) return undefined;
    this.#credentials = { clientCertificate: identity?.der, bearerToken: token };
    return this.#connectionTo(server)?.transport;
  }

  #connectionTo(server: LocalServer): Connection | undefined {
    const { certificate } = server;
    const known = this.#connection;
    if (known?.server === server && known.certificate === certificate) return known;
    if (!this.#isTrusted(certificate)) return undefined;
    // Watches on a stopped server end.
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
    const isNamed = isIP(this.#name) ? certificate.checkIP(this.#name) : certificate.checkHost(this.#name);
    return (
      isNamed !== undefined &&
      splitPemBundle(certificateAuthority)
        .map((authority) => new X509Certificate(authority))
        .some((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey))
    );
  }

  #identityOf(pem: ClientCertificate): Identity {
    const known = this.#identity;
    if (known?.pem.certificate === pem.certificate && known.pem.privateKey === pem.privateKey) return known;
    const certificate = new X509Certificate(pem.certificate);
    const holdsKey = certificate.checkPrivateKey(createPrivateKey(pem.privateKey));
    this.#identity = { pem, der: certificate.raw, holdsKey };
    return this.#identity;
  }

  #far(): HttpsTransport {
    this.#remote ??= new HttpsTransport(this.#options);
    if (this.#isClosed) this.#remote.close();
    return this.#remote;
  }
}

function addressOf(host: string, port: number): string {
  return `${host} ${port}`;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
