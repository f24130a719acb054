import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '../identity/access.ts';
import type { ServiceName } from '../service-list.ts';

/** A request as passed to a handler: parsed, authenticated, matched to a route. */
export interface ApiRequest {
  readonly method: string;
  /** Variables of the route's template. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; undefined if absent, or if the service reads bodies itself. */
  readonly body: unknown;
  /** The raw body. */
  readonly rawBody: Buffer;
  /** Scheme, host and port that the client used. */
  readonly origin: string;
  /** `origin` and the service's path, without a trailing slash. */
  readonly serviceUrl: string;
  /** The request's raw path, without the query. */
  readonly path: string;
  readonly access: Access;
  /** Minor version x of Nova's microversion 2.x; 1 for other services. */
  readonly microversion: number;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, except for strings and bytes, which are sent unchanged. */
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  /** Path below the service's prefix with variables in braces: `/servers/{id}/action`. */
  readonly template: string;
  /** Whether the route is served without a token. */
  readonly open?: true;
  /** The first microversion that includes the route. */
  readonly since?: number;
  readonly handle: (request: ApiRequest) => ApiResponse;
}

/** The content of an error, before a service formats it. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  /** The exception class in Neutron. */
  readonly type?: string;
}

export interface Service {
  readonly name: ServiceName | 'control' | 'identity-provider';
  /** Path of the service's root, e.g. `/compute`. */
  readonly prefix: string;
  readonly routes: readonly Route[];
  /** Formats an error in the service's format. */
  readonly renderProblem: (problem: Problem, request: { readonly accept: string }) => ApiResponse;
  /** The message for a body that is not valid JSON; `Malformed request body` by default. */
  readonly malformedBody?: string;
  /** Whether the handlers read the raw bodies, which need not be JSON. */
  readonly readsRawBodies?: true;
  /** Reads the microversion from the headers; throws an ApiError for a version that is not supported. */
  readonly negotiate?: (headers: IncomingHttpHeaders) => number;
  /** Headers that are added to every response. */
  readonly responseHeaders?: (microversion: number) => Readonly<Record<string, string>>;
}

/** Thrown by handlers: becomes an error response in the service's format, and rolls back the handler's changes. */
export class ApiError extends Error implements Problem {
  readonly status: number;
  readonly type?: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: { readonly type?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    if (options.type !== undefined) this.type = options.type;
    this.headers = options.headers ?? {};
  }
}

export function ok(body: unknown): ApiResponse {
  return { status: 200, body };
}

export function created(body: unknown): ApiResponse {
  return { status: 201, body };
}

export const noContent: ApiResponse = { status: 204 };
export const accepted: ApiResponse = { status: 202 };
