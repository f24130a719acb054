import { randomUUID } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { fenceFor } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import { currentSpan, type Span } from '@fairway/base/tracing';
import type { Budget, Priority } from './budget.ts';
import { callSpan, failed, recordResponse } from './call-span.ts';
import { readErrorBody } from './error-body.ts';
import { errorKind, outcomeOf } from './error-kind.ts';
import type { OpenStackMetrics } from './metrics.ts';
import { isOpenStackError, OpenStackError } from './openstack-error.ts';
import { quotasOf } from './quota-use.ts';
import { ResponseTooLargeError } from './response-too-large-error.ts';
import { parseRetryAfter } from './retry-after.ts';
import { DEFAULT_RETRY_POLICY, isSafeToRetry, type RetryPolicy, retryDelayMs } from './retry-policy.ts';
import {
  type HttpMethod,
  type HttpResponse,
  type HttpTransport,
  headerOf,
  requestIdOf,
  TransportError,
} from './transport.ts';

export interface HttpCall {
  readonly service: string;
  readonly method: HttpMethod;
  readonly url: string;
  /** The path as documented, for errors and metrics. */
  readonly template: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Whether the call is idempotent; by default only GET and DELETE are. */
  readonly idempotent?: boolean;
  /** A POST without relevant side effects, such as a token request; needs no grant. */
  readonly isReading?: boolean;
  readonly priority?: Priority;
  /** Id of the calling project, for fair queueing; omitted if unknown. */
  readonly project?: string | undefined;
  /** Identifies the caller for fair queueing while the project is unknown. */
  readonly owner?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Creates the error for a response with status 400 or above, if it can be more specific than the default. */
  readonly refusal?: (response: HttpResponse, usual: OpenStackError) => OpenStackError;
}

export interface Timeouts {
  /** From sending the request to the end of the response. */
  readonly attemptMs: number;
  /** Including the wait for the budget and all attempts. */
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { attemptMs: 60_000, totalMs: 180_000 };

export interface HttpClientOptions {
  readonly cloud: string;
  readonly transport: HttpTransport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly budget: Budget;
  readonly metrics?: OpenStackMetrics | undefined;
  readonly logger?: Logger;
  readonly timeouts?: Timeouts;
  readonly retry?: RetryPolicy;
  readonly uuid?: () => string;
  /** `fairway` by default. */
  readonly userAgent?: string | undefined;
}

const ATTEMPT_TIMED_OUT = Symbol('attempt timed out');

/** Sends calls to the services of one cloud, with budget, timeouts, safe retries, typed errors and metrics. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timeouts: Timeouts;
  readonly #retry: RetryPolicy;
  /**
   * Services whose last call failed on every attempt. Their next call gets a single attempt, since its caller retries
   * anyway.
   */
  readonly #failingServices = new Set<string>();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#logger = options.logger ?? silentLogger;
    this.#timeouts = options.timeouts ?? DEFAULT_TIMEOUTS;
    this.#retry = options.retry ?? DEFAULT_RETRY_POLICY;
  }

  /**
   * Resolves with a response below 400; throws an {@link OpenStackError}, the signal's reason when it aborts, or a FencedError if
   * the caller lost its grant before the request was sent.
   */
  async call(call: HttpCall): Promise<HttpResponse> {
    const parentSpan = currentSpan();
    const span = parentSpan && callSpan(parentSpan, call, this.#options.cloud);
    if (span === undefined) return this.#call(call);
    try {
      const response = await this.#call(call, span);
      recordResponse(span, response);
      return response;
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  async #call(call: HttpCall, span?: Span): Promise<HttpResponse> {
    const deadlineMs = this.#clock.now() + this.#timeouts.totalMs;
    const idempotent = call.idempotent ?? (call.method === 'GET' || call.method === 'DELETE');
    // One global request id for all attempts, to correlate the services' logs.
    const globalRequestId = `req-${(this.#options.uuid ?? randomUUID)()}`;

    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#attempt(call, { globalRequestId, deadlineMs, span });
        this.#failingServices.delete(call.service);
        return response;
      } catch (error) {
        if (!isOpenStackError(error)) throw error;
        if (!isSafeToRetry(error, idempotent)) throw error;
        const maxAttempts = this.#failingServices.has(call.service) ? 1 : this.#retry.maxAttempts;
        if (attempt >= maxAttempts) {
          this.#failingServices.add(call.service);
          throw error;
        }
        const delayMs = retryDelayMs(this.#retry, attempt, error.retryAfterMs, this.#options.random());
        if (this.#clock.now() + delayMs >= deadlineMs) throw error;
        this.#logger.debug({ ...error.fields, attempt, delayMs, globalRequestId }, 'retrying OpenStack call');
        this.#options.metrics?.recordRetry(this.#options.cloud, call.service, error.kind);
        span?.set({ 'http.request.resend_count': attempt });
        await this.#clock.sleep(delayMs, call.signal);
      }
    }
  }

  async #attempt(
    call: HttpCall,
    {
      globalRequestId,
      deadlineMs,
      span,
    }: { readonly globalRequestId: string; readonly deadlineMs: number; readonly span: Span | undefined },
  ): Promise<HttpResponse> {
    const requestedMs = this.#clock.now();
    const release = await this.#acquire(call, deadlineMs);
    const startedMs = this.#clock.now();
    span?.set({ 'fairway.budget_wait_ms': startedMs - requestedMs });
    const timeoutMs = Math.min(this.#timeouts.attemptMs, deadlineMs - startedMs);
    const abort = new AbortController();
    const timer = this.#clock.after(timeoutMs, () => abort.abort(ATTEMPT_TIMED_OUT));
    const signal = call.signal === undefined ? abort.signal : AbortSignal.any([abort.signal, call.signal]);
    let code = 'aborted';
    try {
      const response = await this.#options.transport.send(
        {
          method: call.method,
          url: call.url,
          headers: {
            accept: 'application/json',
            'user-agent': this.#options.userAgent ?? 'fairway',
            'x-openstack-request-id': globalRequestId,
            ...(span && { traceparent: span.traceparent }),
            ...(call.body !== undefined && { 'content-type': 'application/json' }),
            ...call.headers,
          },
          ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
          beforeWrite: fenceOf(call),
        },
        signal,
      );
      code = `${Math.floor(response.status / 100)}xx`;
      if (response.status >= 400) throw this.#errorOf(call, response);
      return response;
    } catch (error) {
      if (error === ATTEMPT_TIMED_OUT) {
        code = 'timeout';
        throw this.#noResponseError(call, 'timeout', `no response within ${timeoutMs} ms`, true);
      }
      if (error instanceof TransportError) {
        code = 'network';
        if (error.isTooLarge) {
          throw new ResponseTooLargeError({ ...call, message: error.message, host: hostOf(call), cause: error });
        }
        throw this.#noResponseError(call, 'network', error.message, error.mayHaveArrived, error);
      }
      throw error;
    } finally {
      timer.cancel();
      release();
      const { service, method, template } = call;
      const labels = { cloud: this.#options.cloud, service, method, resource: template };
      const durationMs = this.#clock.now() - startedMs;
      this.#options.metrics?.recordAttempt(labels, code, durationMs, call.project);
      this.#logger.debug({ ...labels, code, durationMs, globalRequestId }, 'called OpenStack');
    }
  }

  async #acquire(call: HttpCall, deadlineMs: number): Promise<() => void> {
    const { budget, metrics, cloud } = this.#options;
    const abort = new AbortController();
    const timer = this.#clock.after(deadlineMs - this.#clock.now(), () => abort.abort(ATTEMPT_TIMED_OUT));
    const signal = call.signal === undefined ? abort.signal : AbortSignal.any([abort.signal, call.signal]);
    try {
      const requestedMs = this.#clock.now();
      const acquired = budget.acquire(call.project ?? call.owner ?? '', call.priority ?? 'normal', signal);
      metrics?.budget(cloud, budget);
      const release = await acquired;
      metrics?.recordWait(cloud, this.#clock.now() - requestedMs);
      return release;
    } catch (error) {
      if (error !== ATTEMPT_TIMED_OUT) throw error;
      const { service, method, template } = call;
      const message = `not sent within ${this.#timeouts.totalMs} ms: Fairway's budget for the cloud ${cloud} is used up`;
      throw new OpenStackError({ kind: 'rateLimited', service, method, template, message, outcome: 'notDone' });
    } finally {
      timer.cancel();
      metrics?.budget(cloud, budget);
    }
  }

  #errorOf(call: HttpCall, response: HttpResponse): OpenStackError {
    const { service, method, template } = call;
    const { status } = response;
    const error = readErrorBody(status, headerOf(response, 'content-type'), response.body);
    const retryAfterMs = parseRetryAfter(headerOf(response, 'retry-after'), this.#clock.now());
    const usual = new OpenStackError({
      kind: errorKind(status, error, retryAfterMs),
      service,
      method,
      template,
      status,
      requestId: requestIdOf(response),
      message: error.message,
      outcome: outcomeOf(method, status, retryAfterMs),
      retryAfterMs,
      host: hostOf(call),
      quotas: quotasOf(error.message),
    });
    return call.refusal?.(response, usual) ?? usual;
  }

  #noResponseError(
    call: HttpCall,
    kind: 'timeout' | 'network',
    message: string,
    mayHaveArrived: boolean,
    cause?: unknown,
  ): OpenStackError {
    const { service, method, template } = call;
    const outcome = mayHaveArrived && method !== 'GET' ? 'unknown' : 'notDone';
    return new OpenStackError({ kind, service, method, template, message, outcome, host: hostOf(call), cause });
  }
}

function hostOf({ url }: HttpCall): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** Writes are fenced by the caller's grant. */
function fenceOf({ method, template, isReading }: HttpCall): (() => void) | undefined {
  return method === 'GET' || isReading ? undefined : fenceFor(`${method} ${template}`);
}
