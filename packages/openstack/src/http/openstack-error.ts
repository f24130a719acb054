import type { HttpMethod } from './transport.ts';

export type OpenStackErrorKind =
  /** 404, or the catalog has no such endpoint. */
  | 'notFound'
  /** 409 and 412: the object is in another state than the call needs, or exists already. */
  | 'conflict'
  /** The project's quota is used up: the tenant's or the operator's turn. */
  | 'quotaExceeded'
  /** 429, or Fairway's own budget for the cloud is used up. */
  | 'rateLimited'
  /** 401 even with a new token, or Keystone refuses the credential. */
  | 'unauthorized'
  | 'forbidden'
  /** What was sent is wrong; sending it again is of no use. */
  | 'badRequest'
  /** The cloud has no host, address or network left for it: the operator's turn. */
  | 'outOfCapacity'
  /** 5xx, or an answer that is none of the API's. */
  | 'unavailable'
  /** No answer in time. */
  | 'timeout'
  /** No connection, or it broke. */
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
  readonly cause?: unknown;
}

/** Thrown for every call to a cloud that did not end in the answer it asked for. */
export class OpenStackError extends Error {
  readonly kind: OpenStackErrorKind;
  /** Official service type: `compute`, `network`… */
  readonly service: string;
  readonly method: HttpMethod;
  /** The path as documented, `/servers/{server_id}`: to group by. */
  readonly template: string;
  /** Absent when no answer came. */
  readonly status: number | undefined;
  /** The service's id of the (last) exchange; the operator finds its logs by it. */
  readonly requestId: string | undefined;
  /** `unknown`: the cloud may have done it all the same. Look before doing it again. */
  readonly outcome: 'notDone' | 'unknown';
  /** What the service asked for. */
  readonly retryAfterMs: number | undefined;
  /** The service's own words. */
  readonly detail: string;

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
  }

  /** Whether the same call may succeed later although nobody changes it, the quota or the credential. */
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

/** Awaits a call whose object may be gone already, as when it is deleted for the second time. */
export async function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return undefined;
    throw error;
  }
}
