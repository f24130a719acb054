import { Agent, type RequestOptions } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Clock, systemClock } from '@fairway/base/clock';
import { trimmedEnd } from '@fairway/base/trim';
import { WatchConnection } from './watch-connection.ts';

/** PEM strings for a TLS client certificate and its private key. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The address of an API server and the client's identity. */
export interface HttpsConnectionOptions {
  /** `https://host:port`, with a path prefix if the API server is served under one. */
  readonly server: string;
  /** PEM bundle that the server's certificate must chain to; Node's built-in CA certificates if absent. */
  readonly certificateAuthority?: string;
  /** Name expected in the server's certificate, if different from the host of `server`. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** Called before each request, so that certificates can rotate; new connections use the new certificate. */
  readonly clientCertificate?: () => ClientCertificate | Promise<ClientCertificate>;
  /** Called before each request, so that tokens can rotate. */
  readonly bearerToken?: () => string | Promise<string>;
  /** Called when the server has returned 401; the request is then sent once more with the new credentials. */
  readonly renewCredentials?: () => Promise<void>;
  /** Maximum number of idle connections; 4 by default, enough for one process. */
  readonly maxIdleConnections?: number;
  readonly clock?: Clock;
}

/** Socket options for one request; the caller adds the method and other headers. */
export interface RequestRoute extends Pick<RequestOptions, 'host' | 'port' | 'agent'> {
  /** Prepended to every path. */
  readonly pathPrefix: string;
  readonly authorization: string | undefined;
  /** For watches. */
  readonly watchConnection: WatchConnection;
}

const TCP_KEEP_ALIVE_MS = 30_000;
const IDLE_CONNECTION_MS = 30_000;
/**
 * Maximum per server, including watches over HTTP/1.1; excess requests wait. A server must not exhaust this process's
 * file descriptors.
 */
const MAX_CONNECTIONS = 512;
const MAX_IDLE_CONNECTIONS = 4;

/** Connections with one TLS identity. */
interface Connections {
  readonly identity: ClientCertificate | undefined;
  readonly agent: Agent;
  readonly watchConnection: WatchConnection;
}

/**
 * The connections to one API server. Idle ones are closed after 30 s, so a quiet cluster costs only its watches. TCP
 * keep-alive detects a dead peer of a watch.
 */
export class HttpsConnections {
  readonly #options: HttpsConnectionOptions;
  readonly #host: string;
  readonly #port: number;
  readonly #pathPrefix: string;
  readonly #closing = new AbortController();
  #connections: Connections | undefined;
  #isClosed = false;

  constructor(options: HttpsConnectionOptions) {
    const url = new URL(options.server);
    if (url.protocol !== 'https:') {
      throw new TypeError(`server of a Kubernetes API must be an https:// URL, not ${options.server}`);
    }
    this.#options = options;
    this.#host = url.hostname.replace(/^\[|\]$/g, '');
    this.#port = url.port === '' ? 443 : Number(url.port);
    this.#pathPrefix = trimmedEnd(url.pathname, '/');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns the current identity. */
  async route(): Promise<RequestRoute> {
    const { clientCertificate, bearerToken } = this.#options;
    const [identity, token] = await Promise.all([clientCertificate?.(), bearerToken?.()]);
    const { agent, watchConnection } = this.#connectionsOf(identity);
    return {
      host: this.#host,
      port: this.#port,
      agent,
      watchConnection,
      pathPrefix: this.#pathPrefix,
      authorization: token === undefined ? undefined : `Bearer ${token}`,
    };
  }

  /** Closes all connections immediately. */
  close(): void {
    this.#isClosed = true;
    this.#connections?.agent.destroy();
    this.#closing.abort();
  }

  #connectionsOf(identity: ClientCertificate | undefined): Connections {
    const current = this.#connections;
    if (current && isSameIdentity(current.identity, identity)) return current;
    const { serverName, insecureSkipTlsVerify, maxIdleConnections = MAX_IDLE_CONNECTIONS } = this.#options;
    const tls = {
      rejectUnauthorized: insecureSkipTlsVerify !== true,
      secureContext: this.#secureContext(identity),
      ...(serverName !== undefined && { servername: serverName }),
    };
    const agent = new Agent({
      ...tls,
      keepAlive: true,
      keepAliveMsecs: TCP_KEEP_ALIVE_MS,
      timeout: IDLE_CONNECTION_MS,
      maxFreeSockets: maxIdleConnections,
      maxSockets: MAX_CONNECTIONS,
      scheduling: 'lifo',
      maxCachedSessions: 1,
    });
    const watchConnection = new WatchConnection({
      ...tls,
      host: this.#host,
      port: this.#port,
      keepAliveMs: TCP_KEEP_ALIVE_MS,
      clock: this.#options.clock ?? systemClock,
      closing: this.#closing.signal,
    });
    this.#connections = { identity, agent, watchConnection };
    if (current) closeIdle(current.agent);
    return this.#connections;
  }

  #secureContext(identity: ClientCertificate | undefined): SecureContext {
    const { certificateAuthority } = this.#options;
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
      ...(identity && { cert: identity.certificate, key: identity.privateKey }),
    });
  }
}

/**
 * Whether the server closed a keep-alive connection just as the request was sent. There was no response, so a read can
 * be retried.
 */
export function isStaleConnection(error: NodeJS.ErrnoException, reusedSocket: boolean): boolean {
  return reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function isSameIdentity(a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean {
  return a === b || (a?.certificate === b?.certificate && a?.privateKey === b?.privateKey);
}

/** In-flight requests keep their connections; `agent.destroy` would close them. */
function closeIdle(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
