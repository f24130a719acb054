import { describe, expect, it } from 'vitest';
import type { Route } from './api.ts';
import { Router } from './router.ts';

const route = (method: string, template: string, since?: number): Route => ({
  method,
  template,
  handle: () => ({ status: 200 }),
  ...(since === undefined ? {} : { since }),
});

const router = new Router([
  route('GET', '/servers/{id}'),
  route('GET', '/servers/detail'),
  route('POST', '/servers'),
  route('GET', '/servers/{id}/tags/{tag}', 26),
  route('GET', '/'),
]);

describe('Router', () => {
  it.each([
    ['GET', '/servers/detail', 1, '/servers/detail', {}, 'a literal wins over a variable'],
    ['GET', '/servers/x1', 1, '/servers/{id}', { id: 'x1' }, ''],
    ['GET', '/servers/x1/tags/a%20b', 26, '/servers/{id}/tags/{tag}', { id: 'x1', tag: 'a b' }, 'segments are decoded'],
    ['GET', '/servers/x1/', 1, '/servers/{id}', { id: 'x1' }, 'a slash at the end does not matter'],
    ['GET', '/', 1, '/', {}, ''],
  ] as const)('matches %s %s at 2.%i with %s', (method, path, version, template, params, _reason) => {
    const match = router.match(method, path, version);

    expect(match).toMatchObject({ route: { template }, params });
  });

  it.each([
    ['GET', '/nothing', 1, 404],
    ['DELETE', '/servers', 1, 405],
    ['GET', '/servers/x1/tags/a', 25, 404],
    ['GET', '/servers/x1/tags/a%2Fb', 26, 404],
  ] as const)('refuses %s %s at 2.%i with %i', (method, path, version, status) => {
    expect(router.match(method, path, version)).toBe(status);
  });
});
