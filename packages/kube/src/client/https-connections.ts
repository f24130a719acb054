import { Agent, type RequestOptions } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';

/** PEM texts of a TLS client certificate and its private key. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Where an API server is, and who asks. */
export interface HttpsConnectionOptions {
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
  /** How many connections are kept for later; 4 unless given, enough for what a process asks by itself. */
  readonly maxIdleConnections?: number;
}

/** How one request gets to the server: to be completed with method and further headers. */
export interface RequestRoute extends Pick<RequestOptions, 'host' | 'port' | 'agent'> {
  /** Goes before every path. */
  readonly pathPrefix: string;
  readonly authorization: string | undefined;
}

const TCP_KEEP_ALIVE_MS = 30_000;
const IDLE_CONNECTION_MS = 30_000;
const MAX_IDLE_CONNECTIONS = 4;

/** The connections that were made with one TLS identity. */
interface Connections {
  readonly identity: ClientCertificate | undefined;
  readonly agent: Agent;
}

/**
 * The connections to one API server. Idle ones are closed after 30 s, so that a quiet cluster costs its watches and nothing else; a
 * dead peer of a watch is found out by TCP keep-alive.
 */
export class HttpsConnections {
  readonly #options: HttpsConnectionOptions;
  readonly #host: string;
  readonly #port: number;
  readonly #pathPrefix: string;
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
    this.#pathPrefix = url.pathname.replace(/\/+$/, '');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Asks for the identity of the moment. */
  async route(): Promise<RequestRoute> {
    const { clientCertificate, bearerToken } = this.#options;
    const [identity, token] = await Promise.all([clientCertificate?.(), bearerToken?.()]);
    return {
      host: this.#host,
      port: this.#port,
      agent: this.#agentFor(identity),
      pathPrefix: this.#pathPrefix,
      authorization: token === undefined ? undefined : `Bearer ${token}`,
    };
  }

  /** Cuts all connections. */
  close(): void {
    this.#isClosed = true;
    this.#connections?.agent.destroy();
  }

  #agentFor(identity: ClientCertificate | undefined): Agent {
    const current = this.#connections;
    if (current && isSameIdentity(current.identity, identity)) return current.agent;
    const { serverName, insecureSkipTlsVerify, maxIdleConnections = MAX_IDLE_CONNECTIONS } = this.#options;
    const agent = new Agent({
      keepAlive: true,
      keepAliveMsecs: TCP_KEEP_ALIVE_MS,
      timeout: IDLE_CONNECTION_MS,
      maxFreeSockets: maxIdleConnections,
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
}

/** The server closed a kept-alive connection just when the request was sent on it: nothing was answered, a read may be sent again. */
export function isStaleConnection(error: NodeJS.ErrnoException, reusedSocket: boolean): boolean {
  return reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
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
