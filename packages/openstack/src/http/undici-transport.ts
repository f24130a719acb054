import { FencedError } from '@fairway/base/fence';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import { type HttpRequest, type HttpResponse, type HttpTransport, TransportError } from './transport.ts';

/** PEM contents, not paths. */
export interface TlsOptions {
  /** False accepts any certificate. */
  readonly verify: boolean;
  /** CA certificates, replacing those of the system. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface UndiciTransportOptions {
  readonly tls: TlsOptions;
  /** Open connections to each origin of the cloud. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Maximum size of one response. 16 MiB by default. */
  readonly maxResponseBytes?: number;
}

/** Errors that occur before a connection exists; any other error may occur after the request was sent. */
const CONNECT_ERROR_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Parsed in one go, which takes a fifth of a second. Larger pages are requested in parts. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** A pool of keep-alive connections to one cloud. The caller sets timeouts through the signal. */
export class UndiciTransport implements HttpTransport {
  readonly #agent: Agent;

  constructor(options: UndiciTransportOptions) {
    const { verify, ca, cert, key } = options.tls;
    this.#agent = new Agent({
      connections: options.connections,
      pipelining: 1,
      maxResponseSize: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: options.connectTimeoutMs,
        rejectUnauthorized: verify,
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      },
    });
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    try {
      const response = await undiciRequest(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        dispatcher: request.beforeWrite ? dispatcherWithCheck(this.#agent, request.beforeWrite) : this.#agent,
        signal,
      });
      return { status: response.statusCode, headers: response.headers, body: await response.body.text() };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof FencedError) throw error;
      const code = errorCode(error);
      const message = error instanceof Error && error.message !== '' ? error.message : String(code);
      throw new TransportError(message, {
        mayHaveArrived: code === undefined || !CONNECT_ERROR_CODES.has(code),
        isTooLarge: code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** undici calls `onRequestStart` right before it writes, after it has a connection and its handshake is complete. */
function dispatcherWithCheck(agent: Agent, beforeWrite: () => void): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      beforeWrite();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  });
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
