import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { onExchangeEnd } from '@fairway/apiserver/server/exchange-end';
import { appendValue, withoutHopByHop } from '@fairway/apiserver/server/hop-by-hop';
import type { Clock } from '@fairway/base/clock';
import { ApiError } from '@fairway/kube/object/api-error';
import type { GatewayMetrics } from './gateway-metrics.ts';
import type { ImpersonationHeaders } from './impersonation.ts';
import type { Upstream } from './upstream.ts';

/** Headers that state the user or origin and that the API server may trust; only the gateway may set them. */
const IDENTITY_HEADERS = /^(?:authorization|cookie|host|x-real-ip|impersonate-.*|sec-websocket-.*|x-remote-.*)$/;

/** The gateway decides what to record for a client, because the API server behind it sees only the gateway. */
const TRACE_HEADERS: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** The client's headers to forward, without body framing, which each sender sets itself. `peer` is the client's address. */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { user, peer, auditId }: { readonly user: ImpersonationHeaders; readonly peer: string; readonly auditId: string },
): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = Object.fromEntries(withoutHopByHop(headers));
  for (const name of Object.keys(forwarded)) {
    // Intermediaries in front of the API server may treat underscores as dashes, as CGI does.
    const isIdentity = IDENTITY_HEADERS.test(name.replaceAll('_', '-'));
    if (name === 'content-length' || isIdentity || TRACE_HEADERS.has(name)) delete forwarded[name];
  }
  const earlier = headers['x-forwarded-for'];
  return {
    ...forwarded,
    'x-forwarded-for': appendValue(earlier && String(earlier), peer),
    'audit-id': auditId,
    ...user,
  };
}

/**
 * Timeout for the head of a response: kube-apiserver itself ends non-watch requests after 60 s, and responds to a watch
 * immediately.
 */
const RESPONSE_TIMEOUT_MS = 75_000;

/** The responses currently being streamed. */
export class Forwarding {
  readonly #upstream: Upstream;
  readonly #metrics: GatewayMetrics;
  readonly #clock: Clock;
  readonly #watches = new Set<() => void>();

  constructor(upstream: Upstream, metrics: GatewayMetrics, clock: Clock) {
    this.#upstream = upstream;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /**
   * Forwards a request and streams the response with backpressure. If either side disconnects, the other is
   * disconnected too. Rejects only before the response has begun, with 504 if the API server does not respond within
   * its own limit.
   */
  async forward(
    request: IncomingMessage,
    response: ServerResponse,
    {
      method,
      headers,
      body,
      isWatch,
      onResponse,
    }: {
      readonly method: string;
      readonly headers: OutgoingHttpHeaders;
      readonly body: Uint8Array;
      readonly isWatch: boolean;
      /** Called with the response before it is streamed. */
      readonly onResponse: (upstreamResponse: IncomingMessage) => void;
    },
  ): Promise<void> {
    const clientAborter = new AbortController();
    onExchangeEnd(response, () => {
      // An abort creates an exception with a stack trace, which is too costly for every request that ends normally.
      if (!response.writableFinished) clientAborter.abort();
    });
    const { url: path = '/' } = request;
    const deadline = this.#clock.after(RESPONSE_TIMEOUT_MS, () => clientAborter.abort(responseTimeoutError()));
    const pendingResponse = this.#upstream.send({ method, path, headers, body, signal: clientAborter.signal });
    const upstreamResponse = await pendingResponse.finally(() => deadline.cancel());
    onResponse(upstreamResponse);
    response.writeHead(
      upstreamResponse.statusCode ?? 502,
      Object.fromEntries(withoutHopByHop(upstreamResponse.headers)),
    );
    // A watch may have no event for a while, and its client waits for the headers; flushHeaders() would encode their bytes again.
    response.write(Buffer.alloc(0));
    let isEnded = false;
    upstreamResponse.on('error', () => {
      if (!isEnded) response.destroy();
    });
    if (isWatch) {
      this.#track(response, () => {
        isEnded = true;
        upstreamResponse.unpipe(response);
        upstreamResponse.destroy();
        response.end();
      });
    }
    upstreamResponse.pipe(response);
  }

  /** Ends all watches as a server does on timeout: clients resume them elsewhere from the same resourceVersion. */
  endWatches(): void {
    for (const end of this.#watches) end();
  }

  /**
   * Opens a watch for another server. Rejects as `forward` does. When watches end, the stream breaks, and the
   * client reopens the watch.
   */
  async openWatch({
    signal,
    ...watch
  }: {
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
    readonly signal: AbortSignal;
  }): Promise<IncomingMessage> {
    const timeout = new AbortController();
    const deadline = this.#clock.after(RESPONSE_TIMEOUT_MS, () => timeout.abort(responseTimeoutError()));
    const pendingResponse = this.#upstream.send({
      ...watch,
      method: 'GET',
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    const upstreamResponse = await pendingResponse.finally(() => deadline.cancel());
    const end = () => upstreamResponse.destroy();
    this.#watches.add(end);
    const endWatch = this.#metrics.watching();
    upstreamResponse.once('close', () => {
      this.#watches.delete(end);
      endWatch();
    });
    return upstreamResponse;
  }

  #track(response: ServerResponse, end: () => void): void {
    this.#watches.add(end);
    const endWatch = this.#metrics.watching();
    onExchangeEnd(response, () => {
      this.#watches.delete(end);
      endWatch();
    });
  }
}

function responseTimeoutError(): ApiError {
  const message = `the management cluster's API server did not respond within ${RESPONSE_TIMEOUT_MS / 1000} s: the request may or may not have been carried out`;
  return new ApiError(504, 'Timeout', message);
}
