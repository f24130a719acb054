import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { CallSlots } from '@fairway/base/call-slots';
import { type Clock, systemClock } from '@fairway/base/clock';
import { FencedError } from '@fairway/base/fence';
import { type HttpsConnectionOptions, HttpsConnections, isStaleConnection } from './https-connections.ts';
import { readLines } from './line-reader.ts';
import {
  ResponseTooLargeError,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';
import type { WatchConnection } from './watch-connection.ts';

export interface HttpsTransportOptions extends HttpsConnectionOptions {
  /**
   * Time limit from sending the request to the end of the response body, except for watches. 60 s is kube-apiserver's
   * own limit.
   */
  readonly requestTimeoutMs?: number;
  /** Limit for one fully buffered response: 64 MiB, because list pages contain 500 objects. */
  readonly maxResponseBytes?: number;
}

export const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;

/**
 * A connection never frees the buffers of the largest response that it carried: a watch that reuses the connection of
 * its list costs 210 KB more than one on a new connection (1000 clusters with 10 nodes). After a response that exceeds
 * this limit, the connection is not reused.
 */
const LARGE_RESPONSE_BYTES = 65_536;

/**
 * All informers for a cluster list at once when Fairway starts. On separate connections this took 23 handshakes per
 * cluster, most of the total cost. Sequential lists take 66 ms of CPU for each of 400 clusters, four at a time 80 ms.
 */
const MAX_CONCURRENT_LISTS = 1;
/** Maximum time that other lists wait for a running one, whose objects may need an unavailable conversion webhook. */
const LIST_QUEUE_TIMEOUT_MS = 500;

/** HTTP over TLS to one API server: HTTP/1.1, and HTTP/2 for watches if the server supports it. */
export class HttpsTransport implements Transport {
  readonly #connections: HttpsConnections;
  readonly #lists = new CallSlots(MAX_CONCURRENT_LISTS);
  readonly #clock: Clock;
  readonly #requestTimeoutMs: number;
  readonly #maxResponseBytes: number;
  readonly #renewCredentials: (() => Promise<void>) | undefined;

  constructor(options: HttpsTransportOptions) {
    this.#connections = new HttpsConnections(options);
    this.#clock = options.clock ?? systemClock;
    this.#renewCredentials = options.renewCredentials;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    this.#maxResponseBytes = options.maxResponseBytes ?? 64 * 1024 * 1024;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#attempt(request);
    if (response.status !== 401 || this.#renewCredentials === undefined) return response;
    // A request refused with 401 has had no effect, so any such request can be sent again.
    await response.text();
    await this.#renewCredentials();
    return this.#attempt(request);
  }

  async #attempt(request: TransportRequest): Promise<TransportResponse> {
    const { pathPrefix, authorization, watchConnection, ...target } = await this.#connections.route();
    request.signal?.throwIfAborted();
    this.#ensureOpen(request);
    const options: RequestOptions = {
      ...target,
      method: request.method,
      path: pathPrefix + request.path,
      headers: {
        ...request.headers,
        ...(request.body !== undefined && { 'content-length': Buffer.byteLength(request.body) }),
        ...(authorization !== undefined && { authorization }),
      },
    };
    if (request.isWatch === true) {
      const response = await this.#watch(request, options, watchConnection, true);
      if (response !== undefined) return response;
    }
    if (request.isList !== true) return this.#send(request, options, true);
    const releaseSlot = await this.#lists.enter(request.signal);
    const timer = this.#clock.after(LIST_QUEUE_TIMEOUT_MS, releaseSlot);
    const finish = () => {
      timer.cancel();
      releaseSlot();
    };
    try {
      this.#ensureOpen(request);
      return await this.#send(request, options, true, finish);
    } catch (error) {
      finish();
      throw error;
    }
  }

  close(): void {
    this.#connections.close();
  }

  #ensureOpen(request: TransportRequest): void {
    if (this.#connections.isClosed) throw new TransportError(`${describe(request)}: the transport is closed`);
  }

  /** Undefined if the server does not support HTTP/2. */
  async #watch(
    request: TransportRequest,
    options: RequestOptions,
    connection: WatchConnection,
    mayRetry: boolean,
  ): Promise<TransportResponse | undefined> {
    const { signal } = request;
    const path = options.path ?? '/';
    const explain = (error: unknown) => (signal?.aborted ? signal.reason : failure(request, options, error));
    const watch = await connection.send(path, options.headers as OutgoingHttpHeaders, signal).catch((error) => {
      throw explain(error);
    });
    if (watch === undefined) return undefined;
    const { stream, isReused, retire } = watch;
    let timeout: Error | undefined;
    const deadline = this.#clock.after(this.#requestTimeoutMs, () => {
      timeout = new Error(`no complete response within ${this.#requestTimeoutMs} ms`);
      stream.destroy(timeout);
    });
    const onAbort = () => stream.destroy();
    signal?.addEventListener('abort', onAbort, { once: true });
    stream.once('close', () => {
      deadline.cancel();
      signal?.removeEventListener('abort', onAbort);
    });
    try {
      const response = await responseHead(stream);
      // The server is shutting down, or a load balancer's backend is down.
      if (response.status === 503) retire();
      return {
        ...response,
        text: () => readText(stream, (error) => explain(timeout ?? error), this.#byteLimiter()),
        lines: () => {
          deadline.cancel();
          return readLines(stream, explain);
        },
      };
    } catch (error) {
      const isStale = isReused && timeout === undefined && !signal?.aborted && !this.#connections.isClosed;
      // Other requests must not use this connection either.
      if (isStale || timeout !== undefined) retire();
      if (!isStale || !mayRetry) throw explain(timeout ?? error);
      return this.#watch(request, options, connection, false);
    }
  }

  /** Counts bytes of a buffered response; throws if there are too many. */
  #byteLimiter(): (count: number) => void {
    let bytes = 0;
    return (count) => {
      bytes += count;
      if (bytes > this.#maxResponseBytes)
        throw new ResponseTooLargeError(`the response exceeds ${this.#maxResponseBytes} bytes`);
    };
  }

  /** `onClose` is called when the request is complete, including its response. */
  #send(
    request: TransportRequest,
    options: RequestOptions,
    mayRetry: boolean,
    onClose?: () => void,
  ): Promise<TransportResponse> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(options);
      let timeout: Error | undefined;
      const deadline = this.#clock.after(this.#requestTimeoutMs, () => {
        timeout = new Error(`no complete response within ${this.#requestTimeoutMs} ms`);
        outgoing.destroy(timeout);
      });
      const explain = (error: unknown) =>
        signal?.aborted ? signal.reason : failure(request, options, timeout ?? error);
      const onAbort = () => outgoing.destroy();
      signal?.addEventListener('abort', onAbort, { once: true });
      outgoing.once('close', () => {
        deadline.cancel();
        signal?.removeEventListener('abort', onAbort);
        onClose?.();
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isStale =
          isStaleConnection(error, outgoing.reusedSocket) && !signal?.aborted && !this.#connections.isClosed;
        if (mayRetry && isStale && request.method === 'GET') resolve(this.#send(request, options, false));
        else reject(explain(error));
      });
      outgoing.once('response', (incoming) => {
        // The server is shutting down, or a load balancer's backend is down: the next request should use a new connection.
        if (incoming.statusCode === 503) outgoing.shouldKeepAlive = false;
        let bytes = 0;
        const onBytes = (count: number) => {
          bytes += count;
          if (bytes > LARGE_RESPONSE_BYTES) outgoing.shouldKeepAlive = false;
        };
        const limit = this.#byteLimiter();
        resolve({
          status: incoming.statusCode ?? 0,
          headers: flatten(incoming.headers),
          text: () =>
            readText(incoming, explain, (count) => {
              onBytes(count);
              limit(count);
            }),
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

/** Calls `write` immediately; with `beforeWrite` only once connected, and only if `beforeWrite` does not throw. */
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

async function readText(
  incoming: Readable,
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

function responseHead(stream: ClientHttp2Stream): Promise<Pick<TransportResponse, 'status' | 'headers'>> {
  return new Promise((resolve, reject) => {
    stream
      .once('response', (headers) => resolve({ status: headers[':status'] ?? 0, headers: flatten(headers) }))
      .once('error', reject)
      .once('close', () => reject(new Error('the connection was closed before the response')));
  });
}

function flatten(incoming: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined && !name.startsWith(':')) headers[name] = Array.isArray(value) ? value.join(', ') : value;
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
