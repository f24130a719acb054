import type { HTTPIngressPath, IngressSpec } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { rulesOf } from '../l7/l7-rules.ts';
import type { Route } from '../l7/route.ts';
import { AnnotationReader } from '../load-balancers/annotation-reader.ts';
import { routesOf } from './routes.ts';

const path = (text: string | undefined, pathType: string, service = 'web'): HTTPIngressPath => ({
  ...(text !== undefined && { path: text }),
  pathType,
  backend: { service: { name: service, port: { number: 80 } } },
});

const rule = (host: string, ...paths: HTTPIngressPath[]) => ({ host, http: { paths } });

function read(spec: IngressSpec) {
  const reader = new AnnotationReader({});
  const routes = routesOf({ metadata: { name: 'web', namespace: 'shop' }, spec }, reader);
  return { routes, warnings: reader.warnings };
}

/** The Service to which a load balancer sends a request: the target of the first policy whose rules all match. */
function targetOf(routes: readonly Route[], host: string, requested: string): string | undefined {
  const matchesRule = ({ type, compare_type, value }: ReturnType<typeof rulesOf>[number]) => {
    const text = type === 'HOST_NAME' ? host : requested;
    if (compare_type === 'REGEX') return new RegExp(value, type === 'HOST_NAME' ? 'i' : '').test(text);
    return compare_type === 'EQUAL_TO' ? text === value : text.startsWith(value);
  };
  return routes.find((route) => rulesOf(route).every(matchesRule))?.backend?.service ?? undefined;
}

// The table of https://kubernetes.io/docs/concepts/services-networking/ingress/#examples, and the cases that it omits.
test.each<[pathType: string, path: string, request: string, isServed: boolean]>([
  ['Prefix', '/', '/', true],
  ['Prefix', '/', '/any/path', true],
  ['Exact', '/foo', '/foo', true],
  ['Exact', '/foo', '/bar', false],
  ['Exact', '/foo', '/foo/', false],
  ['Exact', '/foo/', '/foo', false],
  ['Prefix', '/foo', '/foo', true],
  ['Prefix', '/foo', '/foo/', true],
  ['Prefix', '/foo/', '/foo', true],
  ['Prefix', '/foo/', '/foo/', true],
  ['Prefix', '/aaa/bb', '/aaa/bbb', false],
  ['Prefix', '/aaa/bbb', '/aaa/bbb', true],
  ['Prefix', '/aaa/bbb/', '/aaa/bbb', true],
  ['Prefix', '/aaa/bbb', '/aaa/bbb/', true],
  ['Prefix', '/aaa/bbb', '/aaa/bbb/ccc', true],
  ['Prefix', '/aaa/bbb', '/aaa/bbbxyz', false],
  ['Prefix', '/foo', '/foobar', false],
  ['Prefix', '/a.b', '/axb', false],
  ['Prefix', '/a+b(c)', '/a+b(c)/d', true],
  ['Prefix', '/$&', '/$&/x', true],
  ['Exact', '/Foo', '/foo', false],
  ['ImplementationSpecific', '/foo', '/foobar', true],
  ['ImplementationSpecific', '/', '/any', true],
])('matches %s %s: %s', (pathType, text, request, isServed) => {
  const { routes } = read({ rules: [rule('a.example', path(text, pathType))] });

  expect(targetOf(routes, 'a.example', request)).toBe(isServed ? 'web' : undefined);
});

test.each<[host: string, request: string, isServed: boolean]>([
  ['a.example', 'a.example', true],
  ['a.example', 'A.Example:8080', true],
  ['A.example', 'a.example', true],
  ['a.example', 'b.a.example', false],
  ['a.example', 'a.example.org', false],
  ['a.example', 'axexample', false],
  ['*.foo.example', 'bar.foo.example', true],
  ['*.foo.example', 'bar.foo.example:80', true],
  ['*.foo.example', 'baz.bar.foo.example', false],
  ['*.foo.example', 'foo.example', false],
])('matches host %s: %s', (host, request, isServed) => {
  const { routes } = read({ rules: [rule(host, path('/', 'Prefix'))] });

  expect(targetOf(routes, request, '/')).toBe(isServed ? 'web' : undefined);
});

const OVERLAPPING_RULES = [
  rule('', path('/', 'Prefix', 'all')),
  rule('*.b.example', path('/', 'Prefix', 'wildcard')),
  rule(
    'a.b.example',
    path('/x', 'Prefix', 'x'),
    path('/x/y', 'Prefix', 'xy'),
    path('/x', 'Exact', 'only-x'),
    path('/x/y/z', 'ImplementationSpecific', 'xyz'),
  ),
];

test.each<[host: string, request: string, service: string | undefined]>([
  ['a.b.example', '/x', 'only-x'],
  ['a.b.example', '/x/1', 'x'],
  ['a.b.example', '/x/y', 'xy'],
  ['a.b.example', '/x/y/z1', 'xyz'],
  ['a.b.example', '/other', undefined],
  ['c.b.example', '/x', 'wildcard'],
  ['elsewhere.example', '/x', 'all'],
])('applies the route with the most specific host, then the most specific path: %s%s', (host, request, service) => {
  const { routes } = read({ rules: OVERLAPPING_RULES });

  expect(targetOf(routes, host, request)).toBe(service);
  expect(targetOf(read({ rules: OVERLAPPING_RULES.toReversed() }).routes, host, request)).toBe(service);
});

test('treats the same host in two rules as one host', () => {
  const { routes } = read({
    rules: [rule('a.example', path('/', 'Prefix', 'root')), rule('a.example', path('/api', 'Prefix', 'api'))],
  });

  expect([targetOf(routes, 'a.example', '/api'), targetOf(routes, 'a.example', '/')]).toEqual(['api', 'root']);
});

test.each<{ is: string; rows: HTTPIngressPath[]; reason: string }>([
  {
    is: 'a quote, which would end a string in a configuration',
    rows: [path("/it's", 'Prefix')],
    reason: 'PathNotServed',
  },
  { is: 'a space', rows: [path('/a b', 'Exact')], reason: 'PathNotServed' },
  { is: 'a newline', rows: [path('/a\nacl x', 'Exact')], reason: 'PathNotServed' },
  { is: 'a backslash', rows: [path('/a\\', 'Exact')], reason: 'PathNotServed' },
  { is: 'more than a rule can hold', rows: [path(`/${'a'.repeat(300)}`, 'Prefix')], reason: 'PathNotServed' },
  { is: 'no leading slash', rows: [path('foo', 'ImplementationSpecific')], reason: 'PathNotServed' },
  {
    is: 'a backend that is not a Service',
    rows: [{ path: '/', pathType: 'Prefix', backend: { resource: { kind: 'Bucket', name: 'b' } } }],
    reason: 'BackendNotServed',
  },
])('reports and omits a path with $is', ({ rows, reason }) => {
  const { routes, warnings } = read({ rules: [rule('a.example', ...rows)] });

  expect(routes).toEqual([]);
  expect(warnings.map((warning) => warning.reason)).toEqual([reason]);
});

test('applies the first of two equal paths, and reports the other', () => {
  const { routes, warnings } = read({
    rules: [rule('', path('/a', 'Prefix', 'first'), path('/a/', 'Prefix', 'second'))],
  });

  expect(routes.map(({ backend }) => backend?.service)).toEqual(['first']);
  expect(warnings.map(({ reason }) => reason)).toEqual(['DuplicatePath']);
});

test('sends requests for a rule without paths to the default backend, regardless of rules for all hosts', () => {
  const { routes } = read({ rules: [{ host: 'a.example' }, rule('', path('/', 'Prefix', 'all'))] });

  expect(routes[0]).toEqual({ host: 'a.example', path: { type: 'Prefix', value: '/' }, backend: undefined });
});
