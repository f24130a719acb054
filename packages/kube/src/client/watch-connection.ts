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
  /** Cuts it. */
  readonly closing: AbortSignal;
}

/** A watch that was asked for. */
export interface WatchStream {
  readonly stream: ClientHttp2Stream;
  /** Whether the connection was there before: the server may have been about to close it. */
  readonly isReused: boolean;
  /** The next watch uses another connection; those that run stay on this one. */
  readonly leave: () => void;
}

/** What the server may send unread: a reader that pauses holds up its own watch, not the others. */
const WATCH_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;
/** In MiB, of one connection; at Node's 10 further watches are refused while some have much to tell. */
const MAX_SESSION_MEMORY = 64;
/** Until the server has said what it allows. */
const HANDSHAKE_TIMEOUT_MS = 30_000;
/** Of one connection: their windows together are no more than its own. */
const MAX_WATCHES = 100;

/** One connection, and how many watches run on it. */
interface SharedSession {
  readonly session: ClientHttp2Session;
  readonly socket: TLSSocket;
  watches: number;
}

/**
 * The HTTP/2 connection of all watches that have one identity, open while there are any; more than one where the server allows fewer watches on it.
 * kube-apiserver speaks HTTP/2, the embedded server does not. 23 watches take 0.5 MB of memory on it, and 2.5 MB on connections of their own.
 */
export class WatchConnection {
  readonly #options: WatchConnectionOptions;
  readonly #sessions = new Set<SharedSession>();
  #connecting: Promise<SharedSession | undefined> | undefined;
  #isSpoken = true;
  /** Who is about to begin a watch. */
  #starting = 0;

  constructor(options: WatchConnectionOptions) {
    this.#options = options;
  }

  /** Sends a GET. Undefined where the server does not speak HTTP/2. Rejects with an error of the connection, or the reason of the signal. */
  async send(
    path: string,
    headers: OutgoingHttpHeaders,
    signal: AbortSignal | undefined,
  ): Promise<WatchStream | undefined> {
    this.#starting++;
    try {
      let shared = this.#withRoom();
      const isReused = shared !== undefined;
      while (shared === undefined) {
        const connected = await untilAborted(this.#connected(), signal);
        if (connected === undefined) return undefined;
        if (!isAlive(connected)) throw new Error('the server has closed the connection');
        // Others who have waited for it may have all that it allows.
        shared = hasRoom(connected) ? connected : this.#withRoom();
      }
      return this.#begin(shared, { ...headers, ':method': 'GET', ':path': path }, isReused);
    } finally {
      this.#starting--;
      this.#closeUnused();
    }
  }

  #begin(shared: SharedSession, headers: OutgoingHttpHeaders, isReused: boolean): WatchStream {
    const stream = shared.session.request(headers);
    shared.watches++;
    // Its reader tells; without one nobody needs to know.
    stream.on('error', () => {});
    stream.once('close', () => {
      shared.watches--;
      if (!this.#sessions.has(shared)) cutIfUnused(shared);
      this.#closeUnused();
    });
    return { stream, isReused, leave: () => this.#leave(shared) };
  }

  #leave(shared: SharedSession): void {
    this.#sessions.delete(shared);
    shared.session.close();
    cutIfUnused(shared);
  }

  /** Also those that were made for watches that nobody wanted any more when they were. */
  #closeUnused(): void {
    if (this.#starting > 0) return;
    for (const shared of this.#sessions) if (shared.watches === 0) this.#leave(shared);
  }

  #withRoom(): SharedSession | undefined {
    for (const shared of this.#sessions) if (isAlive(shared) && hasRoom(shared)) return shared;
    return undefined;
  }

  #connected(): Promise<SharedSession | undefined> {
    if (!this.#isSpoken) return Promise.resolve(undefined);
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
      const socket = await this.#secured(deadline.signal);
      if (socket.alpnProtocol === 'h2') {
        const session = this.#sessionOn(socket);
        await untilSettled(session);
        const shared = { session, socket, watches: 0 };
        if (hasRoom(shared)) {
          session.once('close', () => this.#sessions.delete(shared));
          this.#sessions.add(shared);
          return shared;
        }
      }
      socket.destroy();
    } catch (error) {
      if (!isWithoutProtocol(error)) throw error;
    } finally {
      timer.cancel();
    }
    this.#isSpoken = false;
    return undefined;
  }

  #secured(deadline: AbortSignal): Promise<TLSSocket> {
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
      const cut = () => socket.destroy(new Error('the transport is closed'));
      closing.addEventListener('abort', cut, { once: true });
      deadline.addEventListener('abort', () => socket.destroy(new Error('no connection within 30 s')), { once: true });
      socket
        .setKeepAlive(true, keepAliveMs)
        .once('error', reject)
        .once('close', () => {
          closing.removeEventListener('abort', cut);
          reject(new Error('the connection was closed before it was secured'));
        })
        .once('secureConnect', () => resolve(socket));
    });
  }

  #sessionOn(socket: TLSSocket): ClientHttp2Session {
    const { host, port } = this.#options;
    const session = connect(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, {
      createConnection: () => socket,
      maxSessionMemory: MAX_SESSION_MEMORY,
      settings: { enablePush: false, initialWindowSize: WATCH_WINDOW_BYTES },
    });
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    // Each of its watches ends with it.
    session.on('error', () => {});
    return session;
  }
}

function isAlive({ session }: SharedSession): boolean {
  return !session.closed && !session.destroyed;
}

/** A session that ends waits for the server to end it too, and one that hangs never does. */
function cutIfUnused({ socket, watches }: SharedSession): void {
  if (watches === 0) socket.destroySoon();
}

/** A request beyond what the server allows would wait for the end of another one, and of a watch that may be never. */
function hasRoom({ session, watches }: SharedSession): boolean {
  return watches < Math.min(MAX_WATCHES, session.remoteSettings.maxConcurrentStreams ?? MAX_WATCHES);
}

/** Until the server has said what it allows. */
function untilSettled(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session
      .once('remoteSettings', () => resolve())
      .once('error', reject)
      .once('close', () => reject(new Error('the connection was closed before it was used')));
  });
}

/** The server has refused the handshake because it speaks no HTTP/2. */
function isWithoutProtocol(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
}
