import type { ApiRequest, ApiResponse, Route } from '../http/api.ts';
import { notFound } from './problem.ts';

/** The microversions, as minor numbers, in which something is there; both ends included. */
export interface Versions {
  readonly since?: number;
  readonly until?: number;
}

/** A route below the version, e.g. `/shares/{id}`; out of its microversions it is not found. */
export function shareRoute(
  method: string,
  template: string,
  handle: (request: ApiRequest) => ApiResponse,
  { since = 0, until = Number.POSITIVE_INFINITY }: Versions = {},
): Route {
  return {
    method,
    template: `/v2${template}`,
    handle(request) {
      if (request.microversion < since || request.microversion > until) throw notFound();
      return handle(request);
    },
  };
}

/** Names changed with 2.7: what was an extension, `/os-services`, is one no longer. */
export const RENAMED = 7;

/** The same under its older name. */
export function renamedRoute(
  method: string,
  [older, newer]: readonly [older: string, newer: string],
  handle: (request: ApiRequest) => ApiResponse,
): Route[] {
  return [
    shareRoute(method, older, handle, { until: RENAMED - 1 }),
    shareRoute(method, newer, handle, { since: RENAMED }),
  ];
}

export function linksTo({ origin, serviceUrl }: ApiRequest, path: string): object[] {
  return [
    { rel: 'self', href: `${serviceUrl}/v2/${path}` },
    { rel: 'bookmark', href: `${serviceUrl || origin}/${path}` },
  ];
}

/** A time as Manila writes it: microseconds, in UTC, without a zone. */
export function shareTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000`;
}
