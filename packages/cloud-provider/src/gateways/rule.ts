import type { L7Redirect } from '@fairway/openstack/types/l7-policy';
import { isHttps } from './listeners.ts';
import { redirectOf } from './redirect.ts';
import { type RequestMatch, requestMatchOf } from './route-match.ts';
import type { BackendRef, HttpMatch, HttpRule, Listener } from './schemas.ts';

/** Requests to a host on a listener. */
export interface RuleRequest {
  readonly match: RequestMatch;
  readonly listener: Listener;
  readonly redirect: L7Redirect | undefined;
}

/** A rule of a route in Octavia terms. */
export interface ParsedRule {
  readonly requests: readonly RuleRequest[];
  readonly backendRefs: readonly BackendRef[];
}

interface AllowedListener {
  readonly listener: Listener;
  readonly hosts: readonly string[];
}

/** Fields of a rule that are allowed: any other field would request something unsupported. */
const SUPPORTED_FIELDS: ReadonlySet<string> = new Set(['name', 'matches', 'filters', 'backendRefs']);
const MATCH_ALL: HttpMatch = {
  path: { type: 'PathPrefix', value: '/' },
  headers: [],
  queryParams: [],
  method: undefined,
};

/**
 * The requests that a rule matches on its listeners, or why Octavia does not support it. A rule is served completely or
 * not at all. Pure.
 */
export function parseRule(
  rule: HttpRule,
  places: readonly AllowedListener[],
): ParsedRule | { readonly problem: string } {
  const unknown = Object.keys(rule).find((field) => !SUPPORTED_FIELDS.has(field));
  if (unknown !== undefined) return { problem: `${unknown.slice(0, 40)} is not supported` };
  if (rule.backendRefs.some(({ filters }) => filters.length > 0))
    return { problem: 'filters of backendRefs are not supported' };
  const other = rule.filters.find(({ type }) => type !== 'RequestRedirect');
  if (other) return { problem: `filter ${other.type.slice(0, 40)} is not supported: Octavia can only redirect` };
  const [filter, second] = rule.filters;
  if (second) return { problem: 'a rule can have only one RequestRedirect filter' };
  const requests: RuleRequest[] = [];
  for (const match of rule.matches.length > 0 ? rule.matches : [MATCH_ALL]) {
    const read = requestMatchOf(match);
    if ('problem' in read) return read;
    for (const { listener, hosts } of places) {
      const scheme = isHttps(listener) ? 'https' : 'http';
      for (const host of hosts) {
        const request = { ...read, host, scheme, port: listener.port } as const;
        const redirect = filter && redirectOf(filter.requestRedirect ?? { statusCode: 302 }, request);
        if (redirect && 'problem' in redirect) return { problem: `filter RequestRedirect: ${redirect.problem}` };
        requests.push({ match: { ...read, host }, listener, redirect });
      }
    }
  }
  return { requests, backendRefs: filter ? [] : rule.backendRefs };
}
