import { type Clock, systemClock } from '@fairway/base/clock';
import { fenceFor } from '@fairway/base/fence';
import { currentSpan } from '@fairway/base/tracing';
import { z } from 'zod';
import { ApiError, type Status } from '../object/api-error.ts';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import { type Discovery, discover } from './discovery.ts';
import { HttpResourceClient, type ObjectForm } from './http-resource-client.ts';
import type { ResourceClient } from './resource-client.ts';
import { sendTraced } from './traced-request.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { parseWarnings } from './warnings.ts';

export interface KubeClientOptions {
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** Called with each human-readable warning in a response, whatever its status. */
  readonly onWarning?: (text: string) => void;
}

const ServerVersion = z.looseObject({ major: z.string(), minor: z.string(), gitVersion: z.string() });
/** The response of `/version`. */
export type ServerVersion = z.infer<typeof ServerVersion>;

const MAX_ATTEMPTS = 5;
/** A longer Retry-After is not honoured here: the error is thrown, and work queues honour its `retryAfterSeconds`. */
const MAX_RETRY_AFTER_SECONDS = 10;

/** A client for one API server with one identity. */
export class KubeClient {
  readonly #transport: Transport;
  readonly #userAgent: string;
  readonly #clock: Clock;
  readonly #onWarning: KubeClientOptions['onWarning'];

  constructor(transport: Transport, options: KubeClientOptions = {}) {
    this.#transport = transport;
    this.#userAgent = options.userAgent ?? 'fairway';
    this.#clock = options.clock ?? systemClock;
    this.#onWarning = options.onWarning;
  }

  resource<T extends KubeObject>(type: ResourceType<T>): ResourceClient<T> {
    return this.#resourceClient(type, 'full');
  }

  /** Like `resource`, but reads return `PartialObjectMetadata`: metadata alone, a fraction of the bytes. */
  metadata(type: ResourceType): ResourceClient<KubeObject> {
    return this.#resourceClient(type, 'metadata');
  }

  #resourceClient<T extends KubeObject>(type: ResourceType<T>, form: ObjectForm): ResourceClient<T> {
    return new HttpResourceClient(type, form, (request) => this.raw(request));
  }

  /**
   * Sends a request and resolves with a successful response; any other status rejects with an ApiError. 429, and 503
   * with Retry-After, are retried at most four times, if `Retry-After` is at most 10 s. A POST is never retried,
   * because 429 means that an eviction was denied. Rejects with a FencedError instead of writing when the caller has
   * lost its grant.
   */
  async raw(request: TransportRequest): Promise<TransportResponse> {
    const span = currentSpan();
    return span === undefined
      ? this.#send(request)
      : sendTraced(span, request, (tracedRequest) => this.#send(tracedRequest));
  }

  async #send(request: TransportRequest): Promise<TransportResponse> {
    const headers = { accept: 'application/json', 'user-agent': this.#userAgent, ...request.headers };
    const fence = request.method === 'GET' ? undefined : fenceFor(`${request.method} ${request.path}`);
    for (let attempt = 1; ; attempt++) {
      fence?.();
      const response = await this.#transport.request({ ...request, headers, ...(fence && { beforeWrite: fence }) });
      if (this.#onWarning) for (const text of parseWarnings(response.headers['warning'])) this.#onWarning(text);
      if (response.status >= 200 && response.status < 300) return response;
      const error = toApiError(response, await response.text());
      const waitSeconds = retryAfterSeconds(error, request.method);
      if (waitSeconds === undefined || attempt === MAX_ATTEMPTS) throw error;
      await this.#clock.sleep(waitSeconds * 1000, request.signal);
    }
  }

  async version(): Promise<ServerVersion> {
    return ServerVersion.parse(await this.#get('/version', 'application/json'));
  }

  /** All kinds that the server serves, each in its preferred version. */
  async resources(signal?: AbortSignal): Promise<Discovery> {
    return discover((path, accept) => this.#get(path, accept, signal));
  }

  /** Closes idle connections and ends running watches. */
  close(): void {
    this.#transport.close();
  }

  async #get(path: string, accept: string, signal?: AbortSignal): Promise<unknown> {
    const response = await this.raw({ method: 'GET', path, headers: { accept }, ...(signal && { signal }) });
    return JSON.parse(await response.text());
  }
}

function retryAfterSeconds(error: ApiError, method: TransportRequest['method']): number | undefined {
  const { retryAfterSeconds: seconds } = error;
  if (method === 'POST' || (error.code !== 429 && error.code !== 503)) return undefined;
  return seconds !== undefined && seconds <= MAX_RETRY_AFTER_SECONDS ? seconds : undefined;
}

/** The error for a response: its Status body, or one derived from the status code if it has none (a proxy, a crash). */
export function toApiError(response: Pick<TransportResponse, 'status' | 'headers'>, body: string): ApiError {
  const status = parseStatus(body) ?? {
    message: body.trim() === '' ? `HTTP ${response.status}` : `HTTP ${response.status}: ${body.trim().slice(0, 500)}`,
    reason: REASONS.get(response.status) ?? 'Unknown',
    code: response.status,
  };
  const seconds = Number.parseInt(response.headers['retry-after'] ?? '', 10);
  if (status.details?.retryAfterSeconds !== undefined || Number.isNaN(seconds)) {
    return ApiError.fromStatus(status, response.status);
  }
  return ApiError.fromStatus(
    { ...status, details: { ...status.details, retryAfterSeconds: seconds } },
    response.status,
  );
}

const REASONS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

function parseStatus(body: string): Partial<Status> | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    const isStatus = typeof parsed === 'object' && parsed !== null && 'kind' in parsed && parsed.kind === 'Status';
    return isStatus ? (parsed as Partial<Status>) : undefined;
  } catch {
    return undefined;
  }
}
