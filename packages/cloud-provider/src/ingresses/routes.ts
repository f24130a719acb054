import { trimmedEnd } from '@fairway/base/trim';
import type { Ingress, IngressBackend } from '@fairway/kube/kinds/generated/types';
import { fitsRuleLimits } from '../l7/l7-rules.ts';
import { type Backend, EVERY_PATH, type PathMatch, type Route } from '../l7/route.ts';
import type { AnnotationReader } from '../load-balancers/annotation-reader.ts';
import { displayText } from '../load-balancers/display-text.ts';

/**
 * Characters allowed in a path: those of RFC 3986 except the quote, which has a special meaning in HAProxy's
 * configuration.
 */
const PATH = /^\/[A-Za-z0-9._~!$&()*+,;=:@%/-]*$/;

/** The routes of an Ingress; the first match wins. Pure; `routes.test.ts` contains the rules as tables. */
export function routesOf({ spec }: Ingress, reader: AnnotationReader): readonly Route[] {
  const hosts = new Map<string, Route[]>();
  const known = new Set<string>();
  for (const { host: specHost = '', http } of spec.rules ?? []) {
    const host = specHost.toLowerCase();
    const routes = hosts.get(host) ?? [];
    hosts.set(host, routes);
    for (const { path = '', pathType, backend } of http?.paths ?? []) {
      const route = { host, path: pathMatch(path, pathType), backend: backendOf(backend) };
      if (isServed(route, known, reader)) routes.push(route);
    }
  }
  return [...hosts]
    .toSorted(([a], [b]) => byHost(a, b))
    .flatMap(([host, routes]) => [...routes.toSorted(bySpecificity), ...fallbackRoutes(host, routes, hosts)]);
}

/** In spec order. octavia-ingress-controller treats every path as `ImplementationSpecific`. */
function pathMatch(path: string, pathType: string): PathMatch {
  if (pathType === 'Exact') return { type: 'Exact', value: path };
  if (pathType === 'Prefix') return { type: 'Prefix', value: trimmedEnd(path, '/') || '/' };
  return { type: 'Start', value: path || '/' };
}

export function backendOf({ service }: IngressBackend): Backend | undefined {
  if (service === undefined) return undefined;
  return { service: service.name, port: service.port?.name || (service.port?.number ?? 0) };
}

/** Whether the route can be served. Warns if it cannot, or if it duplicates one of the earlier paths in `known`. */
function isServed(route: Route, known: Set<string>, reader: AnnotationReader): boolean {
  const { host, path, backend } = route;
  const what = `path ${displayText(path.value)} of host ${host === '' ? 'any' : displayText(host)}`;
  if (backend === undefined) {
    reader.warn('BackendNotServed', `${what} is not served: its backend is not a Service`);
    return false;
  }
  if (!PATH.test(path.value) || !fitsRuleLimits(route)) {
    const allowed = 'a path may contain letters, digits and ._~!$&()*+,;=:@%/-, and at most 200 characters';
    reader.warn('PathNotServed', `${what} is not served because Octavia cannot match it: ${allowed}`);
    return false;
  }
  const key = `${host} ${matchesAll(path) ? '' : path.type} ${path.value}`;
  if (known.has(key)) {
    reader.warn('DuplicatePath', `${what} is specified twice: only the first one is used`);
    return false;
  }
  known.add(key);
  return true;
}

function matchesAll({ type, value }: PathMatch): boolean {
  return type !== 'Exact' && value === '/';
}

/** Exact hosts, then wildcard hosts, then all hosts. */
export function byHost(a: string, b: string): number {
  return hostRank(a) - hostRank(b) || b.length - a.length || compare(a, b);
}

function hostRank(host: string): number {
  if (host === '') return 2;
  return host.startsWith('*.') ? 1 : 0;
}

/**
 * https://kubernetes.io/docs/concepts/services-networking/ingress/#multiple-matches. Equally specific routes have a
 * stable order, so an edit never moves unrelated routes.
 */
function bySpecificity({ path: a }: Route, { path: b }: Route): number {
  return (
    pathRank(a) - pathRank(b) || b.value.length - a.value.length || compare(a.value, b.value) || compare(a.type, b.type)
  );
}

function pathRank({ type }: PathMatch): number {
  return type === 'Exact' ? 0 : 1;
}

/**
 * The most specific host has precedence: a request that matches none of its paths is not matched against wildcard hosts
 * or all hosts.
 */
function fallbackRoutes(host: string, routes: readonly Route[], hosts: ReadonlyMap<string, unknown>): readonly Route[] {
  const wildcard = `*${host.slice(host.indexOf('.'))}`;
  const hasFallback = host !== '' && (hosts.has('') || (hostRank(host) === 0 && hosts.has(wildcard)));
  const isCatchAll = routes.some(({ path }) => matchesAll(path));
  return hasFallback && !isCatchAll ? [{ host, path: EVERY_PATH, backend: undefined }] : [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
