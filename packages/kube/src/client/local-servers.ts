import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { systemClock } from '@fairway/base/clock';
import { splitPemBundle } from '../pki/certificate-info.ts';
import type { ClientCertificate } from './https-connections.ts';
import { DEFAULT_REQUEST_TIMEOUT_MS, HttpsTransport, type HttpsTransportOptions } from './https-transport.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from './transport.ts';

/** What a client of this process shows in place of a connection's TLS certificate and its `Authorization` header. */
export interface LocalCredentials {
  /** DER; the same array as long as it is the same certificate. */
  readonly clientCertificate: Uint8Array | undefined;
  readonly bearerToken: string | undefined;
}

/** An API server of this process. */
export interface LocalServer {
  /** PEM of what it would show over TLS. */
  readonly certificate: string;
  /** Requests without sockets by whoever `credentials` are of: they are checked with each request. */
  connect(credentials: () => LocalCredentials): Transport;
}

/**
 * The API servers of this process by address, for clients of this process: the same requests, credentials and answers without sockets and without
 * TLS, which take some 100 KB a connection at both ends. A client that does not trust the server's certificate, or does not hold its own key, takes the socket and is told there.
 */
export class LocalServers {
  readonly #servers = new Map<string, LocalServer>();

  /** Returns how to take it away: from then on its address is that of whoever listens there. */
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

  /** Looks with each request whether the server is here: control planes move. */
  transport(options: HttpsTransportOptions): Transport {
    return new NearestTransport(this, options);
  }
}

interface Connection {
  readonly server: LocalServer;
  /** What its certificate was when it was trusted. */
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
  /** How to end the requests that wait for an answer. */
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

  /** As a socket would: a server of this process may itself wait for another one, which a tenant runs. It bounds the bodies of answers itself. */
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

  /** Undefined where the socket has to be taken. */
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
    // Watches on a server that has stopped end there.
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
