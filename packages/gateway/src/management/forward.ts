import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { atEnd } from '@fairway/apiserver/server/exchange-end';
import type { Clock } from '@fairway/base/clock';
import { ApiError } from '@fairway/kube/object/api-error';
import type { GatewayMetrics } from './gateway-metrics.ts';
import type { ImpersonationHeaders } from './impersonation.ts';
import { connectionOptions } from './request-message.ts';
import type { Upstream } from './upstream.ts';

/** RFC 9110 7.6.1: they speak of one connection, and end with it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Say who asks, or where from, in words that the API server could believe: the gateway's alone to say. */
const IDENTITY = /^(?:authorization|cookie|host|x-real-ip|impersonate-.*|sec-websocket-.*|x-remote-.*)$/;

/** What of a client's request goes on, without how its body is framed: that is for who sends it. `peer` is the address that the connection comes from. */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { user, peer, auditId }: { readonly user: ImpersonationHeaders; readonly peer: string; readonly auditId: string },
): OutgoingHttpHeaders {
  const kept = withoutHops(headers);
  for (const name of Object.keys(kept)) {
    // What stands between here and the API server may take underscores for dashes, as CGI does.
    if (name === 'content-length' || IDENTITY.test(name.replaceAll('_', '-'))) delete kept[name];
  }
  const earlier = headers['x-forwarded-for'];
  return {
    ...kept,
    'x-forwarded-for': earlier === undefined ? peer : `${String(earlier)}, ${peer}`,
    'audit-id': auditId,
    ...user,
  };
}

/** The end-to-end headers (RFC 9110 7.6.1). */
function withoutHops(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = connectionOptions(headers.connection);
  const isKept = ([name]: [string, unknown]) => !HOP_BY_HOP.has(name) && !named.includes(name);
  return Object.fromEntries(Object.entries(headers).filter(isKept));
}

/** Until an answer begins: kube-apiserver itself ends at 60 s what is no watch, and a watch begins at once. */
const ANSWER_TIMEOUT_MS = 75_000;

/** The answers that stream now. */
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
   * Sends a request on and streams the answer back; each side waits for the other and ends with it. Rejects only before anything was answered,
   * with 504 where nothing is for longer than the API server would take.
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
      /** Told of the answer before it streams. */
      readonly onAnswer: (answer: IncomingMessage) => void;
    },
  ): Promise<void> {
    const gone = new AbortController();
    atEnd(response, () => {
      // An abort makes an exception with its stack: not for each of the many that end as they should.
      if (!response.writableFinished) gone.abort();
    });
    const { url: path = '/' } = request;
    const deadline = this.#clock.after(ANSWER_TIMEOUT_MS, () => gone.abort(unanswered()));
    const sent = this.#upstream.send({ method, path, headers, body, signal: gone.signal });
    const answer = await sent.finally(() => deadline.cancel());
    onAnswer(answer);
    response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
    // A watch has nothing to say at first, and its client waits to hear that it is one.
    response.flushHeaders();
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

  /** Ends all watches as a server ends one that has gone on long enough: clients resume where they were, elsewhere. */
  endWatches(): void {
    for (const end of this.#watches) end();
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
  const message = `the management cluster's API server has not answered within ${ANSWER_TIMEOUT_MS / 1000} s: what was asked for may be done or not`;
  return new ApiError(504, 'Timeout', message);
}
