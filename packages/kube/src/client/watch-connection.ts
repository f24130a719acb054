import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '@fairway/base/clock';
import { untilAborted } from './until-aborted.ts';

export interface WatchConnectionOptions {
  readonly host: string;
  readonly port: number;
  /** Name expected in the server's certificate; the host by default. */
  readonly servername?: string;
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly keepAliveMs: number;
  readonly clock: Clock;
  /** Closes the connection. */
  readonly closing: AbortSignal;
}

/** A watch in progress. */
export interface WatchStream {
  readonly stream: ClientHttp2Stream;
  /** Whether the connection was reused: the server might be about to close it. */
  readonly isReused: boolean;
  /** Makes the next watch use another connection; running watches stay on this one. */
  readonly retire: () => void;
}

/** Flow-control window of one watch: a paused reader delays its own watch, not the others. */
const WATCH_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;
/**
 * Memory limit of one connection in MiB. With Node's default of 10, additional watches are refused while others send
 * a lot of data.
 */
const MAX_SESSION_MEMORY = 64;
/** Maximum time to connect and to receive the server's limits. */
const HANDSHAKE_TIMEOUT_MS = 30_000;
/** Maximum number of watches per connection: the sum of their windows must not exceed the connection's window. */
const MAX_WATCHES = 100;

/** A connection and its number of running watches. */
interface SharedSession {
  readonly session: ClientHttp2Session;
  readonly socket: TLSSocket;
  watches: number;
}

/**
 * The HTTP/2 connection shared by all watches of an identity, open while any runs. If the server limits streams per
 * connection, there are several. kube-apiserver supports HTTP/2, the embedded server does not. 23 watches take 0.5 MB
 * of memory on one connection, and 2.5 MB on separate ones.
 */
export class WatchConnection {
  readonly #options: WatchConnectionOptions;
  readonly #sessions = new Set<SharedSession>();
  #connecting: Promise<SharedSession | undefined> | undefined;
  #supportsHttp2 = true;
  /** Callers that are about to start a watch. */
  #starting = 0;

  constructor(options: WatchConnectionOptions) {
    this.#options = options;
  }

  /** Sends a GET. Undefined if the server does not support HTTP/2. Rejects with a connection error, or the signal's reason. */
  async send(
    path: string,
    headers: OutgoingHttpHeaders,
    signal: AbortSignal | undefined,
  ): Promise<WatchStream | undefined> {
    this.#starting++;
    try {
      let shared = this.#availableSession();
      const isReused = shared !== undefined;
      while (shared === undefined) {
        const connected = await untilAborted(this.#sharedConnection(), signal);
        if (connected === undefined) return undefined;
        if (!isAlive(connected)) throw new Error('the server has closed the connection');
        // Other waiters may have taken all streams in the session.
        shared = hasRoom(connected) ? connected : this.#availableSession();
      }
      return this.#startWatch(shared, { ...headers, ':method': 'GET', ':path': path }, isReused);
    } finally {
      this.#starting--;
      this.#closeUnused();
    }
  }

  #startWatch(shared: SharedSession, headers: OutgoingHttpHeaders, isReused: boolean): WatchStream {
    const stream = shared.session.request(headers);
    shared.watches++;
    // The reader reports the error; without a reader it doesn't matter.
    stream.on('error', () => {});
    stream.once('close', () => {
      shared.watches--;
      if (!this.#sessions.has(shared)) destroyIfUnused(shared);
      this.#closeUnused();
    });
    return { stream, isReused, retire: () => this.#retire(shared) };
  }

  #retire(shared: SharedSession): void {
    this.#sessions.delete(shared);
    shared.session.close();
    destroyIfUnused(shared);
  }

  /** Also closes connections whose watches were aborted before the connection was established. */
  #closeUnused(): void {
    if (this.#starting > 0) return;
    for (const shared of this.#sessions) if (shared.watches === 0) this.#retire(shared);
  }

  #availableSession(): SharedSession | undefined {
    for (const shared of this.#sessions) if (isAlive(shared) && hasRoom(shared)) return shared;
    return undefined;
  }

  #sharedConnection(): Promise<SharedSession | undefined> {
    if (!this.#supportsHttp2) return Promise.resolve(undefined);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
      this.#closeUnused();
    });
    return this.#connecting;
  }

  async #connect(): Promise<SharedSession | undefined> {
    const deadline = new AbortController();
    const timer = this.#options.clock.after(HANDSHAKE_TIMEOUT_MS, () => deadline.abort());
    try {
      const socket = await this.#connectTls(deadline.signal);
      if (socket.alpnProtocol === 'h2') {
        const session = this.#newSession(socket);
        await waitForSettings(session);
        const shared = { session, socket, watches: 0 };
        if (hasRoom(shared)) {
          session.once('close', () => this.#sessions.delete(shared));
          this.#sessions.add(shared);
          return shared;
        }
      }
      socket.destroy();
    } catch (error) {
      if (!lacksHttp2(error)) throw error;
    } finally {
      timer.cancel();
    }
    this.#supportsHttp2 = false;
    return undefined;
  }

  #connectTls(deadline: AbortSignal): Promise<TLSSocket> {
    const { host, port, servername, secureContext, rejectUnauthorized, keepAliveMs, closing } = this.#options;
    closing.throwIfAborted();
    const name = servername ?? (isIP(host) ? undefined : host);
    return new Promise((resolve, reject) => {
      const socket = connectTls({
        host,
        port,
        secureContext,
        rejectUnauthorized,
        ...(name !== undefined && { servername: name }),
        ALPNProtocols: ['h2'],
      });
      const onTransportClose = () => socket.destroy(new Error('the transport is closed'));
      closing.addEventListener('abort', onTransportClose, { once: true });
      deadline.addEventListener('abort', () => socket.destroy(new Error('no connection within 30 s')), { once: true });
      socket
        .setKeepAlive(true, keepAliveMs)
        .once('error', reject)
        .once('close', () => {
          closing.removeEventListener('abort', onTransportClose);
          reject(new Error('the connection was closed before it was secured'));
        })
        .once('secureConnect', () => resolve(socket));
    });
  }

  #newSession(socket: TLSSocket): ClientHttp2Session {
    const { host, port } = this.#options;
    const session = connect(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, {
      createConnection: () => socket,
      maxSessionMemory: MAX_SESSION_MEMORY,
      settings: { enablePush: false, initialWindowSize: WATCH_WINDOW_BYTES },
    });
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    // All watches in the session end with it.
    session.on('error', () => {});
    return session;
  }
}

function isAlive({ session }: SharedSession): boolean {
  return !session.closed && !session.destroyed;
}

/** Graceful closing waits for the server, and a hanging server never responds. */
function destroyIfUnused({ socket, watches }: SharedSession): void {
  if (watches === 0) socket.destroySoon();
}

/** A request beyond the server's limit would wait until another watch ends, which may never happen. */
function hasRoom({ session, watches }: SharedSession): boolean {
  return watches < Math.min(MAX_WATCHES, session.remoteSettings.maxConcurrentStreams ?? MAX_WATCHES);
}

/** Waits until the server has announced its limits. */
function waitForSettings(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session
      .once('remoteSettings', () => resolve())
      .once('error', reject)
      .once('close', () => reject(new Error('the connection was closed before it was used')));
  });
}

/** Whether the server refused the handshake because it does not support HTTP/2. */
function lacksHttp2(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
}
