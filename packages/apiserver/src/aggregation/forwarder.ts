import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { Clock } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { ApiError, badRequest, tooManyRequests } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import type { Destination, Outbound, OutboundCall } from '../outbound/outbound-client.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { ApiRequest, ApiResponse } from '../server/request.ts';
import { destinationOf, type FrontProxyIdentity } from './destination.ts';
import { forwardedHeaders, responseHeaders } from './forwarded-headers.ts';
import { userHeaders } from './front-proxy.ts';
import type { RemoteApi } from './remote-api.ts';
import { isForwarded, requestedProtocol, UpgradedConnections, upgradeError } from './upgrades.ts';

export interface ForwarderOptions {
  readonly reader: ObjectReader;
  readonly client: Outbound;
  readonly identity: FrontProxyIdentity;
  readonly clock: Clock;
  readonly random: () => number;
  /** Time limit for a response other than a watch. */
  readonly maxAnswerBytes: number;
  /** This server's name in the `Via` header. */
  readonly via: string;
}

/** Upstream's `--request-timeout`, which applies to everything except long-running requests. */
const TIMEOUT_MS = 60_000;
/** Maximum number of pending requests to one API. */
const MAX_WAITING_REQUESTS = 100;
const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
const EMPTY_BODY = Buffer.alloc(0);
const SWITCHING_PROTOCOLS = 101;
const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Forwards requests to aggregated API servers, and streams back their responses, like kube-aggregator's
 * handler_proxy.go.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #waiting = new Map<string, number>();
  readonly #upgraded = new UpgradedConnections();

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  async forward(
    api: RemoteApi,
    request: ApiRequest,
    { user, auditId, isLong }: { readonly user: UserInfo; readonly auditId: string; readonly isLong: boolean },
  ): Promise<ApiResponse> {
    const { via } = this.#options;
    if (request.headers['via']?.includes(via)) throw loopError(api);
    if (!hasCanonicalSegments(request.path))
      throw badRequest('a segment of the path is empty, ".", ".." or has an encoded "/"');
    const protocol = requestedProtocol(request.headers);
    if (protocol !== undefined && !(request.canUpgrade && isForwarded(protocol))) throw upgradeError(protocol);
    if (!api.isAvailable) return unavailableResponse();
    const query = request.query.toString();
    const bytes = protocol === undefined ? await request.readBytes(user) : EMPTY_BODY;
    const call = {
      method: request.method,
      path: query === '' ? request.path : `${request.path}?${query}`,
      headers: {
        ...forwardedHeaders(request.headers, { auditId, peer: request.peer, via }),
        ...userHeaders(user),
        ...(protocol !== undefined && { connection: 'Upgrade', upgrade: protocol }),
      },
      mayUpgrade: protocol !== undefined,
      body: bytes.length > 0 || BODY_METHODS.has(request.method) ? bytes : undefined,
      signal: request.signal,
    };
    const release = this.#enter(api);
    try {
      const endMs = this.#options.clock.now() + TIMEOUT_MS;
      const destination = await destinationOf(this.#options, api);
      const incoming = await this.#send(destination, { ...call, timeoutMs: TIMEOUT_MS }, user);
      if (incoming.statusCode === SWITCHING_PROTOCOLS) return upgradeResponse(incoming);
      return this.#toResponse(incoming, isLong ? undefined : endMs);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { status: 503, headers: TEXT_HEADERS, body: `${error.message}\n` };
    } finally {
      release();
    }
  }

  /** An upgraded request counts as pending until its connection ends. */
  async #send(destination: Destination, call: OutboundCall, user: UserInfo): Promise<IncomingMessage> {
    const { client } = this.#options;
    if (!call.mayUpgrade) return client.request(destination, call);
    const end = this.#upgraded.enter(user);
    try {
      const incoming = await client.request(destination, call);
      if (incoming.statusCode === SWITCHING_PROTOCOLS && !incoming.socket.destroyed) incoming.socket.once('close', end);
      else end();
      return incoming;
    } catch (error) {
      end();
      throw error;
    }
  }

  #enter({ name }: RemoteApi): () => void {
    const count = this.#waiting.get(name) ?? 0;
    if (count >= MAX_WAITING_REQUESTS) {
      throw tooManyRequests(
        `Too many requests, please try again later: ${MAX_WAITING_REQUESTS} of APIService ${name} wait`,
        1,
      );
    }
    this.#waiting.set(name, count + 1);
    return () => {
      const left = (this.#waiting.get(name) ?? 1) - 1;
      if (left > 0) this.#waiting.set(name, left);
      else this.#waiting.delete(name);
    };
  }

  #toResponse(incoming: IncomingMessage, endMs: number | undefined): ApiResponse {
    const status = incoming.statusCode ?? 502;
    if (status >= 300 && status <= 399 && incoming.headers.location !== undefined) {
      incoming.destroy();
      return redirectResponse();
    }
    return {
      status,
      headers: responseHeaders(incoming.headers),
      body: endMs === undefined ? incoming : this.#withDeadline(incoming, endMs),
    };
  }

  /** The body, which is aborted if it is too large or too slow. */
  #withDeadline(incoming: IncomingMessage, endMs: number): Readable {
    const { clock, maxAnswerBytes } = this.#options;
    let bytes = 0;
    const boundedBody = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) done(new Error(`the answer has more than ${maxAnswerBytes} bytes`));
        else done(null, chunk);
      },
    });
    const timer = clock.after(endMs - clock.now(), () => boundedBody.destroy(new Error('the answer takes too long')));
    return pipeline(incoming, boundedBody, () => timer.cancel());
  }
}

/** The bytes that follow belong to a different protocol. */
function upgradeResponse({ headers, socket }: IncomingMessage): ApiResponse {
  const { 'content-length': _, ...kept } = responseHeaders(headers);
  const { upgrade = '' } = headers;
  return {
    status: SWITCHING_PROTOCOLS,
    headers: { ...kept, connection: 'Upgrade', upgrade },
    body: '',
    upgraded: socket,
  };
}

function unavailableResponse(): ApiResponse {
  return { status: 503, headers: TEXT_HEADERS, body: 'service unavailable\n' };
}

/** Upstream's `--aggregator-reject-forwarding-redirect`. */
function redirectResponse(): ApiResponse {
  const body = 'the backend attempted to redirect this request, which is not permitted';
  return { status: 502, headers: TEXT_HEADERS, body };
}

function loopError({ name }: RemoteApi): ApiError {
  return new ApiError(508, 'Unknown', `the Service of APIService ${name} leads back to this API server`);
}

/**
 * Whether both servers parse a path into the same segments: this server ignores empty segments, and has authorized the
 * path as parsed here.
 */
function hasCanonicalSegments(path: string): boolean {
  const [root, ...segments] = path.split('/');
  // A trailing slash.
  if (segments.at(-1) === '') segments.pop();
  return (
    root === '' &&
    segments.every((segment) => {
      const decoded = decode(segment);
      return !['', '.', '..', undefined].includes(decoded) && !decoded?.includes('/');
    })
  );
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
