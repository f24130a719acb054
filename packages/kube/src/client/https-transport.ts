import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../clock.ts';
import { FencedError } from '../fence.ts';
import { readLines } from './line-reader.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from './transport.ts';

/** PEM texts of a TLS client certificate and its private key. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface HttpsTransportOptions {
  /** `https://host:port`, with a path prefix where the API server stands behind one. */
  readonly server: string;
  /** PEM bundle that the server's certificate must chain to; Node's own roots when absent. */
  readonly certificateAuthority?: string;
  /** Name that the server's certificate must carry, when it is not the host of `server`. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** Asked before each request, so that certificates can rotate; a new one is used from the next connection on. */
  readonly clientCertificate?: () => ClientCertificate | Promise<ClientCertificate>;
  /** Asked before each request, so that tokens can rotate. */
  readonly bearerToken?: () => string | Promise<string>;
  /** For everything but the lines of a watch: from the request to the end of its body. 60 s, as kube-apiserver's own limit. */
  readonly requestTimeoutMs?: number;
  readonly clock?: Clock;
}

const TCP_KEEP_ALIVE_MS = 30_000;
const IDLE_CONNECTION_MS = 30_000;
/**
 * A connection never gives back the buffers of the largest answer that it carried: a watch on the connection of its list costs 210 KB more than on a
 * new one (1000 clusters of 10 nodes). Beyond this size a connection is not used again.
 */
const LARGE_ANSWER_BYTES = 65_536;

/** The connections that were made with one TLS identity. */
interface Connections {
  readonly identity: ClientCertificate | undefined;
  readonly agent: Agent;
}

/**
 * HTTP/1.1 over TLS to one API server. Idle connections are closed after 30 s, so that a quiet cluster costs its watches and
 * nothing else; a dead peer of a watch is found out by TCP keep-alive.
 */
export class HttpsTransport implements Transport {
  readonly #options: HttpsTransportOptions;
  readonly #clock: Clock;
  readonly #requestTimeoutMs: number;
  readonly #target: Pick<RequestOptions, 'host' | 'port'>;
  readonly #pathPrefix: string;
  #connections: Connections | undefined;
  #isClosed = false;

  constructor(options: HttpsTransportOptions) {
    const url = new URL(options.server);
    if (url.protocol !== 'https:') {
      throw new TypeError(`server of a Kubernetes API must be an https:// URL, not ${options.server}`);
    }
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? 60_000;
    this.#target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? 443 : Number(url.port) };
    this.#pathPrefix = url.pathname.replace(/\/+$/, '');
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { clientCertificate, bearerToken } = this.#options;
    const [identity, token] = await Promise.all([clientCertificate?.(), bearerToken?.()]);
    request.signal?.throwIfAborted();
    if (this.#isClosed) throw new TransportError(`${describe(request)}: the transport is closed`);
    const options: RequestOptions = {
      ...this.#target,
      agent: this.#agentFor(identity),
      method: request.method,
      path: this.#pathPrefix + request.path,
      headers: {
        ...request.headers,
        ...(request.body !== undefined && { 'content-length': Buffer.byteLength(request.body) }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    };
    return this.#send(request, options, true);
  }

  close(): void {
    this.#isClosed = true;
    this.#connections?.agent.destroy();
  }

  #agentFor(identity: ClientCertificate | undefined): Agent {
    const current = this.#connections;
    if (current && isSameIdentity(current.identity, identity)) return current.agent;
    const { serverName, insecureSkipTlsVerify } = this.#options;
    const agent = new Agent({
      keepAlive: true,
      keepAliveMsecs: TCP_KEEP_ALIVE_MS,
      timeout: IDLE_CONNECTION_MS,
      maxFreeSockets: 4,
      scheduling: 'lifo',
      maxCachedSessions: 1,
      rejectUnauthorized: insecureSkipTlsVerify !== true,
      secureContext: this.#secureContext(identity),
      ...(serverName !== undefined && { servername: serverName }),
    });
    this.#connections = { identity, agent };
    if (current) closeIdle(current.agent);
    return agent;
  }

  #secureContext(identity: ClientCertificate | undefined): SecureContext {
    const { certificateAuthority } = this.#options;
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
      ...(identity && { cert: identity.certificate, key: identity.privateKey }),
    });
  }

  #send(request: TransportRequest, options: RequestOptions, mayRetry: boolean): Promise<TransportResponse> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(options);
      let timeout: Error | undefined;
      const deadline = this.#clock.after(this.#requestTimeoutMs, () => {
        timeout = new Error(`no complete answer within ${this.#requestTimeoutMs} ms`);
        outgoing.destroy(timeout);
      });
      const explain = (error: unknown) =>
        signal?.aborted ? signal.reason : failure(request, options, timeout ?? error);
      const onAbort = () => outgoing.destroy();
      signal?.addEventListener('abort', onAbort, { once: true });
      outgoing.once('close', () => {
        deadline.cancel();
        signal?.removeEventListener('abort', onAbort);
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = isStaleConnection(error, outgoing.reusedSocket) && !signal?.aborted && !this.#isClosed;
        if (mayRetry && isStale && request.method === 'GET') resolve(this.#send(request, options, false));
        else reject(explain(error));
      });
      outgoing.once('response', (incoming) => {
        // A server that is going away, or a balancer's that is down: the next request had better go by a new connection.
        if (incoming.statusCode === 503) outgoing.shouldKeepAlive = false;
        let bytes = 0;
        const onBytes = (count: number) => {
          bytes += count;
          if (bytes > LARGE_ANSWER_BYTES) outgoing.shouldKeepAlive = false;
        };
        resolve({
          status: incoming.statusCode ?? 0,
          headers: flatten(incoming),
          text: () => readText(incoming, explain, onBytes),
          lines: () => {
            deadline.cancel();
            return readLines(incoming, explain, onBytes);
          },
        });
      });
      whenWritable(outgoing, request.beforeWrite, () => outgoing.end(request.body));
    });
  }
}

/** Calls `write` at once, or where `beforeWrite` has a say, as soon as what is written leaves: the connection stands and it does not object. */
function whenWritable(outgoing: ClientRequest, beforeWrite: (() => void) | undefined, write: () => void): void {
  if (beforeWrite === undefined) return write();
  const writeIfAllowed = () => {
    try {
      beforeWrite();
    } catch (error) {
      outgoing.destroy(error as Error);
      return;
    }
    write();
  };
  outgoing.once('socket', (socket: TLSSocket) => {
    if (outgoing.reusedSocket) writeIfAllowed();
    else socket.once('secureConnect', writeIfAllowed);
  });
}

function isSameIdentity(a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean {
  return a === b || (a?.certificate === b?.certificate && a?.privateKey === b?.privateKey);
}

/** Requests under way keep their connections; `agent.destroy` would cut them. */
function closeIdle(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** The server closed a kept-alive connection just when the request was sent on it: nothing was answered, a read may be sent again. */
function isStaleConnection(error: NodeJS.ErrnoException, reusedSocket: boolean): boolean {
  return reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

async function readText(
  incoming: IncomingMessage,
  toError: (error: unknown) => unknown,
  onBytes: (count: number) => void,
): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) {
      chunks.push(chunk as Buffer);
      onBytes((chunk as Buffer).length);
    }
  } catch (error) {
    throw toError(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function flatten(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

function describe(request: TransportRequest): string {
  return `${request.method} ${request.path}`;
}

function failure(request: TransportRequest, options: RequestOptions, error: unknown): Error {
  if (error instanceof FencedError) return error;
  const detail = error instanceof Error ? error.message || error.name : String(error);
  return new TransportError(`${describe(request)} at ${options.host}:${options.port}: ${detail}`, { cause: error });
}
