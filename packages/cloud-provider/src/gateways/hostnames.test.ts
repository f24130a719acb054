import { expect, test } from 'vitest';
import { byHostPrecedence, commonHosts, coversHost } from './hostnames.ts';

test.each([
  ['', 'a.example', true],
  ['', '*.example', true],
  ['a.example', 'a.example', true],
  ['a.example', 'b.example', false],
  ['*.example', 'a.example', true],
  ['*.example', 'a.b.example', true],
  ['*.example', 'example', false],
  ['*.example', '*.b.example', true],
  ['*.b.example', '*.example', false],
  ['*.example', 'aexample', false],
  ['a.example', '', false],
  ['*.example', '', false],
])('decides whether hostname "%s" covers every host of "%s": %s', (broader, narrower, expected) => {
  expect(coversHost(broader, narrower)).toBe(expected);
});

test.each<[listener: string, route: string[], common: string[]]>([
  ['', [], ['']],
  ['a.example', [], ['a.example']],
  ['', ['a.example', '*.b.example'], ['a.example', '*.b.example']],
  ['*.example', ['a.example', 'other.org'], ['a.example']],
  ['a.example', ['*.example', 'a.example'], ['a.example']],
  ['*.example', ['*.a.example'], ['*.a.example']],
  ['*.a.example', ['*.example'], ['*.a.example']],
  ['a.example', ['b.example'], []],
  ['*.example', ['example'], []],
])('intersects the hostname "%s" of a listener with route hosts %j: %j', (listener, route, common) => {
  expect(commonHosts(listener, route)).toEqual(common);
});

test('sorts exact names before wildcards, longer names first, and the empty hostname last', () => {
  const hosts = ['', '*.example', 'a.example', '*.long.example', 'longer.example'];

  expect(hosts.toSorted(byHostPrecedence)).toEqual(['longer.example', 'a.example', '*.long.example', '*.example', '']);
});
