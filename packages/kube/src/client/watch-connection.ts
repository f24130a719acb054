import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';

export interface WatchConnectionOptions {
  readonly host: string;
  readonly port: number;
  /** Name expected in the server's certificate; the host by default. */
  readonly servername?: string;
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly keepAliveMs: number;
  /** Cuts it. */
  readonly closing: AbortSignal;
}

/** A watch that was asked for. */
export interface WatchStream {
  readonly stream: ClientHttp2Stream;
  /** Whether the connection was there before: the server may have been about to close it. */
  readonly isReused: boolean;
}

/** What the server may send unread: a reader that pauses holds up its own watch, not the others. */
const WATCH_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;
/** In MiB, of one connection; at Node's 10 further watches are refused while some have much to tell. */
const MAX_SESSION_MEMORY = 64;
const HANDSHAKE_TIMEOUT_MS = 30_000;

/**
 * The HTTP/2 connection of all watches that have one identity, open while there are any. kube-apiserver speaks HTTP/2, the embedded server does not. 23 watches
 * take 0.5 MB of memory on it, and 2.5 MB on connections of their own.
 */
export class WatchConnection {
  readonly #options: WatchConnectionOptions;
  #session: ClientHttp2Session | undefined;
  #connecting: Promise<ClientHttp2Session | undefined> | undefined;
  #isSpoken = true;
  #streams = 0;

  constructor(options: WatchConnectionOptions) {
    this.#options = options;
  }

  /** Sends a GET. Undefined where the server does not speak HTTP/2. Rejects with an error of the connection, or the reason of the signal. */
  async send(
    path: string,
    headers: OutgoingHttpHeaders,
    signal: AbortSignal | undefined,
  ): Promise<WatchStream | undefined> {
    const known = this.#alive();
    const session = known ?? (await untilAborted(this.#connected(), signal));
    if (session === undefined) return undefined;
    const stream = session.request({ ...headers, ':method': 'GET', ':path': path });
    this.#streams++;
    // Its reader tells; without one nobody needs to know.
    stream.on('error', () => {});
    stream.once('close', () => {
      if (--this.#streams === 0) this.leave();
    });
    return { stream, isReused: known !== undefined };
  }

  /** The next watch uses another connection; those that run stay on this one. */
  leave(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  #alive(): ClientHttp2Session | undefined {
    const session = this.#session;
    return session === undefined || session.closed || session.destroyed ? undefined : session;
  }

  #connected(): Promise<ClientHttp2Session | undefined> {
    if (!this.#isSpoken) return Promise.resolve(undefined);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<ClientHttp2Session | undefined> {
    try {
      const socket = await this.#secured();
      if (socket.alpnProtocol === 'h2') {
        this.#session = this.#sessionOn(socket);
        return this.#session;
      }
      socket.destroy();
    } catch (error) {
      if (!isWithoutProtocol(error)) throw error;
    }
    this.#isSpoken = false;
    return undefined;
  }

  #secured(): Promise<TLSSocket> {
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
      socket
        .setKeepAlive(true, keepAliveMs)
        .setTimeout(HANDSHAKE_TIMEOUT_MS, () => socket.destroy(new Error('no connection within 30 s')))
        .once('error', reject)
        .once('close', () => {
          closing.removeEventListener('abort', cut);
          reject(new Error('the connection was closed before it was secured'));
        })
        .once('secureConnect', () => {
          socket.setTimeout(0);
          resolve(socket);
        });
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

/** The server has refused the handshake because it speaks no HTTP/2. */
function isWithoutProtocol(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
}

/** The promise, or the reason of the signal as soon as it is aborted. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const value = await Promise.race([promise, aborted.promise]);
    signal.throwIfAborted();
    return value;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
