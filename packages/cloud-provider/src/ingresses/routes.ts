import type { Ingress, IngressBackend } from '@fairway/kube/kinds/generated/types';
import { fitsRules } from '../l7/l7-rules.ts';
import { type Backend, EVERY_PATH, type PathMatch, type Route } from '../l7/route.ts';
import { type AnnotationReader, shown } from '../load-balancers/annotation-reader.ts';

/** What a path may have in it: of RFC 3986 all but the quote, which means something in a load balancer's own configuration. */
const PATH = /^\/[A-Za-z0-9._~!$&()*+,;=:@%/-]*$/;

/** The routes of an Ingress: for each request the first that matches it counts. Pure; `routes.test.ts` has the rules as tables. */
export function routesOf({ spec }: Ingress, reader: AnnotationReader): readonly Route[] {
  const hosts = new Map<string, Route[]>();
  for (const { host: written = '', http } of spec.rules ?? []) {
    const host = written.toLowerCase();
    const routes = hosts.get(host) ?? [];
    hosts.set(host, routes);
    for (const { path = '', pathType, backend } of http?.paths ?? []) {
      const route = { host, path: pathMatch(path, pathType), backend: backendOf(backend) };
      if (isServed(route, routes, reader)) routes.push(route);
    }
  }
  return [...hosts]
    .toSorted(([a], [b]) => byHost(a, b))
    .flatMap(([host, routes]) => [...routes.toSorted(bySpecificity), ...restOf(host, routes, hosts)]);
}

/** As written: `ImplementationSpecific` is what octavia-ingress-controller makes of every path. */
function pathMatch(path: string, pathType: string): PathMatch {
  if (pathType === 'Exact') return { type: 'Exact', value: path };
  if (pathType === 'Prefix') return { type: 'Prefix', value: path.replace(/\/+$/, '') || '/' };
  return { type: 'Start', value: path || '/' };
}

export function backendOf({ service }: IngressBackend): Backend | undefined {
  if (service === undefined) return undefined;
  return { service: service.name, port: service.port?.name || (service.port?.number ?? 0) };
}

function isServed(route: Route, others: readonly Route[], reader: AnnotationReader): boolean {
  const { host, path, backend } = route;
  const what = `path ${shown(path.value)} of host ${host === '' ? 'any' : shown(host)}`;
  if (backend === undefined) {
    reader.warn('BackendNotServed', `${what} is not served: its backend is no Service, and nothing else can be one`);
    return false;
  }
  if (!PATH.test(path.value) || !fitsRules(route)) {
    const allowed = 'a path is of letters, digits and ._~!$&()*+,;=:@%/-, and of at most 200 characters';
    reader.warn('PathNotServed', `${what} is not served, as Octavia can't match it: ${allowed}`);
    return false;
  }
  if (others.some((other) => isSamePath(other.path, path))) {
    reader.warn('DuplicatePath', `${what} is there twice: the first one counts`);
    return false;
  }
  return true;
}

function isSamePath(a: PathMatch, b: PathMatch): boolean {
  return a.value === b.value && (a.type === b.type || isEvery(a, b));
}

function isEvery(...paths: readonly PathMatch[]): boolean {
  return paths.every(({ type, value }) => type !== 'Exact' && value === '/');
}

/** A host as a whole, then any label of a domain, then all hosts. */
export function byHost(a: string, b: string): number {
  return hostRank(a) - hostRank(b) || b.length - a.length || compare(a, b);
}

function hostRank(host: string): number {
  if (host === '') return 2;
  return host.startsWith('*.') ? 1 : 0;
}

/**
 * https://kubernetes.io/docs/concepts/services-networking/ingress/#multiple-matches. What is as specific is in an order that does not depend on others, so that
 * no edit moves routes that stay.
 */
function bySpecificity({ path: a }: Route, { path: b }: Route): number {
  return (
    pathRank(a) - pathRank(b) || b.value.length - a.value.length || compare(a.value, b.value) || compare(a.type, b.type)
  );
}

function pathRank({ type }: PathMatch): number {
  return type === 'Exact' ? 0 : 1;
}

/** The host decides first: what none of its own paths match does not go on to the paths of a wildcard or of all hosts. */
function restOf(host: string, routes: readonly Route[], hosts: ReadonlyMap<string, unknown>): readonly Route[] {
  const wildcard = `*${host.slice(host.indexOf('.'))}`;
  const isCovered = host !== '' && (hosts.has('') || (hostRank(host) === 0 && hosts.has(wildcard)));
  const isWhole = routes.some(({ path }) => isEvery(path));
  return isCovered && !isWhole ? [{ host, path: EVERY_PATH, backend: undefined }] : [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
