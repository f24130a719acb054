import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { atEnd } from '@fairway/apiserver/server/exchange-end';
import { appended, withoutHops } from '@fairway/apiserver/server/hop-by-hop';
import type { Clock } from '@fairway/base/clock';
import { ApiError } from '@fairway/kube/object/api-error';
import type { GatewayMetrics } from './gateway-metrics.ts';
import type { ImpersonationHeaders } from './impersonation.ts';
import type { Upstream } from './upstream.ts';

/** Headers that state the user or origin and that the API server may trust: only the gateway may set them. */
const IDENTITY = /^(?:authorization|cookie|host|x-real-ip|impersonate-.*|sec-websocket-.*|x-remote-.*)$/;

/** The gateway decides what to record for a client, not the API server behind it, which only knows the gateway. */
const TRACE_CONTEXT: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** The client's headers to forward, without body framing, which each sender sets itself. `peer` is the client's address. */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { user, peer, auditId }: { readonly user: ImpersonationHeaders; readonly peer: string; readonly auditId: string },
): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = Object.fromEntries(withoutHops(headers));
  for (const name of Object.keys(kept)) {
    // Intermediaries before the API server may treat underscores as dashes, as CGI does.
    const isIdentity = IDENTITY.test(name.replaceAll('_', '-'));
    if (name === 'content-length' || isIdentity || TRACE_CONTEXT.has(name)) delete kept[name];
  }
  const earlier = headers['x-forwarded-for'];
  return {
    ...kept,
    'x-forwarded-for': appended(earlier && String(earlier), peer),
    'audit-id': auditId,
    ...user,
  };
}

/** Timeout of a response's head: kube-apiserver itself ends non-watch requests at 60 s, and a watch answers immediately. */
const ANSWER_TIMEOUT_MS = 75_000;

/** The responses that are streaming now. */
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
   * Forwards a request and streams the response with backpressure; if either side ends, so does the other. Rejects only before the response has
   * begun; with 504 if there is none for longer than the API server allows.
   */
  async forward(
    request: IncomingMessage,
    response: ServerResponse,
    {
      method,
      headers,
      body,
      isWatch,
      onAnswer,
    }: {
      readonly method: string;
      readonly headers: OutgoingHttpHeaders;
      readonly body: Uint8Array;
      readonly isWatch: boolean;
      /** Called with the response before it streams. */
      readonly onAnswer: (answer: IncomingMessage) => void;
    },
  ): Promise<void> {
    const gone = new AbortController();
    atEnd(response, () => {
      // An abort creates an exception with a stack trace: too costly for every request that ends normally.
      if (!response.writableFinished) gone.abort();
    });
    const { url: path = '/' } = request;
    const deadline = this.#clock.after(ANSWER_TIMEOUT_MS, () => gone.abort(unanswered()));
    const sent = this.#upstream.send({ method, path, headers, body, signal: gone.signal });
    const answer = await sent.finally(() => deadline.cancel());
    onAnswer(answer);
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(withoutHops(answer.headers)));
    // A watch may have no event for a while, and its client waits for the headers; flushHeaders() would encode their bytes again.
    response.write(Buffer.alloc(0));
    let isEnded = false;
    answer.on('error', () => {
      if (!isEnded) response.destroy();
    });
    if (isWatch) {
      this.#keep(response, () => {
        isEnded = true;
        answer.unpipe(response);
        answer.destroy();
        response.end();
      });
    }
    answer.pipe(response);
  }

  /** Ends all watches as a server does on timeout: clients resume them elsewhere from the same resourceVersion. */
  endWatches(): void {
    for (const end of this.#watches) end();
  }

  /**
   * Opens a watch for another server. Rejects as `forward` does; when watches end it breaks off, and its client opens it again.
   */
  async openWatch({
    signal,
    ...watch
  }: {
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
    readonly signal: AbortSignal;
  }): Promise<IncomingMessage> {
    const late = new AbortController();
    const deadline = this.#clock.after(ANSWER_TIMEOUT_MS, () => late.abort(unanswered()));
    const sent = this.#upstream.send({ ...watch, method: 'GET', signal: AbortSignal.any([signal, late.signal]) });
    const answer = await sent.finally(() => deadline.cancel());
    const end = () => answer.destroy();
    this.#watches.add(end);
    const ended = this.#metrics.watching();
    answer.once('close', () => {
      this.#watches.delete(end);
      ended();
    });
    return answer;
  }

  #keep(response: ServerResponse, end: () => void): void {
    this.#watches.add(end);
    const ended = this.#metrics.watching();
    atEnd(response, () => {
      this.#watches.delete(end);
      ended();
    });
  }
}

function unanswered(): ApiError {
  const message = `the management cluster's API server did not respond within ${ANSWER_TIMEOUT_MS / 1000} s: the request may or may not have been carried out`;
  return new ApiError(504, 'Timeout', message);
}
