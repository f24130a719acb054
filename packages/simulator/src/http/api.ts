import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '../identity/access.ts';
import type { ServiceName } from '../service-list.ts';

/** A request as a handler sees it: parsed, authenticated, matched to a route. */
export interface ApiRequest {
  readonly method: string;
  /** Variables of the route's template. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; undefined when there was none. */
  readonly body: unknown;
  /** Scheme, host and port under which the client found the cloud. */
  readonly origin: string;
  /** `origin` and the service's path, without a slash at the end. */
  readonly serviceUrl: string;
  /** The request's path as it was sent, without the query. */
  readonly path: string;
  readonly access: Access;
  /** Nova's microversion 2.x as x; 1 elsewhere. */
  readonly microversion: number;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  /** Path below the service's prefix with variables in braces: `/servers/{id}/action`. */
  readonly template: string;
  /** Served without a token. */
  readonly open?: true;
  /** The first microversion that has it. */
  readonly since?: number;
  readonly handle: (request: ApiRequest) => ApiResponse;
}

/** What an error says, before a service puts it in its own envelope. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  /** Neutron's exception class. */
  readonly type?: string;
}

export interface Service {
  readonly name: ServiceName | 'control';
  /** Path of the service's root, e.g. `/compute`. */
  readonly prefix: string;
  readonly routes: readonly Route[];
  /** The service's envelope for errors. */
  readonly renderProblem: (problem: Problem, request: { readonly accept: string }) => ApiResponse;
  /** What it says of a body that is not valid JSON; else `Malformed request body`. */
  readonly malformedBody?: string;
  /** Reads the microversion from the headers; throws an ApiError for one that is not supported. */
  readonly negotiate?: (headers: IncomingHttpHeaders) => number;
  /** Headers that every answer carries. */
  readonly responseHeaders?: (microversion: number) => Readonly<Record<string, string>>;
}

/** Thrown by handlers: becomes an error answer in the service's own envelope, and undoes what the handler did. */
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
