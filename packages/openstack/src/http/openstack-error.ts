import type { QuotaUse } from './quota-use.ts';
import type { HttpMethod } from './transport.ts';

export type OpenStackErrorKind =
  /** 404, or the catalog has no such endpoint. */
  | 'notFound'
  /** 409 and 412: the object is in the wrong state for the call, or already exists. */
  | 'conflict'
  /** The project's quota is used up: the tenant or the operator must act. */
  | 'quotaExceeded'
  /** 429, or Fairway's own budget for the cloud is used up. */
  | 'rateLimited'
  /** 401 even with a new token, or Keystone rejects the credential. */
  | 'unauthorized'
  | 'forbidden'
  /** The request is invalid; a retry is pointless. */
  | 'badRequest'
  /** The cloud is out of hosts, addresses or networks: the operator must act. */
  | 'outOfCapacity'
  /** 5xx, or a response that does not come from the API. */
  | 'unavailable'
  /** No response in time. */
  | 'timeout'
  /** The connection could not be established, or broke. */
  | 'network';

const RETRYABLE: ReadonlySet<OpenStackErrorKind> = new Set([
  'conflict',
  'rateLimited',
  'outOfCapacity',
  'unavailable',
  'timeout',
  'network',
]);

export interface OpenStackErrorOptions {
  readonly kind: OpenStackErrorKind;
  readonly service: string;
  readonly method: HttpMethod;
  readonly template: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly outcome: 'notDone' | 'unknown';
  readonly retryAfterMs?: number | undefined;
  /** Host and port of the service; undefined if Fairway itself refused the call. */
  readonly host?: string | undefined;
  /** Details about the quota that is used up. */
  readonly quotas?: readonly QuotaUse[] | undefined;
  readonly cause?: unknown;
}

/** Thrown for every failed call to a cloud. */
export class OpenStackError extends Error {
  readonly kind: OpenStackErrorKind;
  /** Official service type: `compute`, `network`… */
  readonly service: string;
  readonly method: HttpMethod;
  /** The path as documented, `/servers/{server_id}`: for grouping. */
  readonly template: string;
  /** Absent if no response arrived. */
  readonly status: number | undefined;
  /** The service's id for the (last) request, which operators can search for in its logs. */
  readonly requestId: string | undefined;
  /** `unknown`: the cloud may have carried out the call anyway. Check before retrying. */
  readonly outcome: 'notDone' | 'unknown';
  /** From Retry-After. */
  readonly retryAfterMs: number | undefined;
  /** The service's message. */
  readonly detail: string;
  /** Host and port of the service: `nova.example.com:8774`. */
  readonly host: string | undefined;
  /** Details about the quota that is used up; empty for other kinds. */
  readonly quotas: readonly QuotaUse[];

  constructor(options: OpenStackErrorOptions) {
    const { kind, service, method, template, status, requestId } = options;
    const what = status === undefined ? kind : `${status} ${kind}`;
    const id = requestId === undefined ? '' : ` (${requestId})`;
    super(`${service} ${method} ${template}: ${what}: ${options.message}${id}`, { cause: options.cause });
    this.name = 'OpenStackError';
    this.kind = kind;
    this.service = service;
    this.method = method;
    this.template = template;
    this.status = status;
    this.requestId = requestId;
    this.outcome = options.outcome;
    this.retryAfterMs = options.retryAfterMs;
    this.detail = options.message;
    this.host = options.host;
    this.quotas = options.quotas ?? [];
  }

  /** The same failure with details about the quota. */
  withQuotas(quotas: readonly QuotaUse[]): OpenStackError {
    const { kind, service, method, template, status, requestId, outcome, retryAfterMs, host, detail: message } = this;
    const call = { kind, service, method, template, status, requestId, outcome, retryAfterMs, host, message };
    return new OpenStackError({ ...call, quotas, cause: this });
  }

  /** Whether the same call may succeed later without a change of the request, the quota or the credential. */
  get retryable(): boolean {
    return RETRYABLE.has(this.kind);
  }

  /** Fields for a log line. */
  get fields(): object {
    const { kind, service, method, template, status, requestId, outcome, retryAfterMs, detail } = this;
    return { kind, service, method, template, status, requestId, outcome, retryAfterMs, detail };
  }
}

export function isOpenStackError(error: unknown, kind?: OpenStackErrorKind): error is OpenStackError {
  return error instanceof OpenStackError && (kind === undefined || error.kind === kind);
}

/** Awaits a call whose object may no longer exist, such as a repeated deletion. */
export async function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return undefined;
    throw error;
  }
}
