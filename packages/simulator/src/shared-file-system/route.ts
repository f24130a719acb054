import type { ApiRequest, ApiResponse, Route } from '../http/api.ts';
import { notFound } from './problem.ts';

/** An inclusive range of microversions, as minor numbers. */
export interface Versions {
  readonly since?: number;
  readonly until?: number;
}

/** A route below the version, such as `/shares/{id}`; it does not exist in other microversions. */
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

/** Names changed in 2.7: extensions such as `/os-services` lost their prefix. */
export const RENAME_MICROVERSION = 7;

/** The route under its older name. */
export function renamedRoute(
  method: string,
  [olderName, newerName]: readonly [older: string, newer: string],
  handle: (request: ApiRequest) => ApiResponse,
): Route[] {
  return [
    shareRoute(method, olderName, handle, { until: RENAME_MICROVERSION - 1 }),
    shareRoute(method, newerName, handle, { since: RENAME_MICROVERSION }),
  ];
}

export function linksTo({ origin, serviceUrl }: ApiRequest, path: string): object[] {
  return [
    { rel: 'self', href: `${serviceUrl}/v2/${path}` },
    { rel: 'bookmark', href: `${serviceUrl || origin}/${path}` },
  ];
}

/** A time in Manila's format: UTC with microseconds and without a time zone. */
export function shareTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000`;
}
