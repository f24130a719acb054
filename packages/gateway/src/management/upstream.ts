import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import {
  type HttpsConnectionOptions,
  HttpsConnections,
  isStaleConnection,
} from '@fairway/kube/client/https-connections';
import { ApiError } from '@fairway/kube/object/api-error';

export interface UpstreamRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  /** Excludes Content-Length and Transfer-Encoding, which are derived from `body`. */
  readonly headers: OutgoingHttpHeaders;
  /** The complete body, so that its length is known; absent or empty for a request without a body. */
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * These methods are retried automatically if a pooled connection has been closed. Other requests are not: the API
 * server may have processed them, and a repeated DELETE could hit a new object with the same name.
 */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const BODYLESS_METHODS = new Uint8Array();
const RETRY_AFTER_SECONDS = 1;
/** Idle connections are kept for the next burst of requests; a handshake costs more than a request. */
const MAX_IDLE_CONNECTIONS = 256;
/** Connection errors: no part of the request was received. */
const CONNECT_ERRORS: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The management cluster's API server, with the gateway's own credentials. */
export class Upstream {
  readonly #connections: HttpsConnections;

  constructor(options: HttpsConnectionOptions) {
    this.#connections = new HttpsConnections({ ...options, maxIdleConnections: MAX_IDLE_CONNECTIONS });
  }

  /**
   * Resolves with the head of the response; the body is streamed. Rejects with 503 if there is no response, and with
   * Retry-After if the request definitely had no effect: clients then retry automatically.
   */
  async send(request: UpstreamRequest): Promise<IncomingMessage> {
    try {
      return await this.#exchange(request, SAFE_METHODS.has(request.method));
    } catch (error) {
      if (request.signal.aborted || error instanceof ApiError) throw error;
      throw unreachableError(request.method, error);
    }
  }

  close(): void {
    this.#connections.close();
  }

  async #exchange(request: UpstreamRequest, mayRetry: boolean): Promise<IncomingMessage> {
    const { method, path, headers, body = BODYLESS_METHODS, signal } = request;
    const { pathPrefix, authorization, ...target } = await this.#connections.route();
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = httpsRequest({
      ...target,
      method,
      path: pathPrefix + path,
      headers: { ...headers, ...framingHeaders(method, body), ...(authorization !== undefined && { authorization }) },
      insecureHTTPParser: false,
    });
    const onAbort = () => outgoing.destroy(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.once('close', () => signal.removeEventListener('abort', onAbort));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isRetry = mayRetry && isStaleConnection(error, outgoing.reusedSocket) && !signal.aborted;
      if (isRetry) resolve(this.#exchange(request, false));
      else reject(error);
    });
    outgoing.once('response', (incoming) => {
      // The server is shutting down, so the next request should use a new connection.
      if (incoming.statusCode === 503) outgoing.shouldKeepAlive = false;
      resolve(incoming);
    });
    outgoing.end(body);
    return promise;
  }
}

/**
 * The headers that tell the API server where the request ends. Node frames a body itself only for some methods (not
 * GET, DELETE, OPTIONS). For the others it writes the body unframed, where it would be parsed as the next request.
 */
function framingHeaders(method: string, body: Uint8Array): OutgoingHttpHeaders {
  return SAFE_METHODS.has(method) && body.length === 0 ? {} : { 'content-length': body.length };
}

/** 503 for a request to which the API server did not respond. */
export function unreachableError(method: string, error: unknown): ApiError {
  const { code, message } = error as NodeJS.ErrnoException;
  const isSafe = SAFE_METHODS.has(method) || CONNECT_ERRORS.has(code);
  return new ApiError(
    503,
    'ServiceUnavailable',
    `the management cluster's API server does not respond: ${code ?? message}`,
    {
      cause: error,
      ...(isSafe && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
    },
  );
}
