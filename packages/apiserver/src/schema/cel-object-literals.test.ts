import { excessiveItemGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { objectLiteralsAsMaps } from './cel-object-literals.ts';

test.each([
  { text: 'Object{spec: Object.spec{replicas: 1}}', map: '{"spec": {"replicas": 1}}' },
  { text: 'Object { }', map: '{ }' },
  { text: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}', map: '{"metadata": {"labels": {"a": "b"}}}' },
  {
    text: 'Object{spec: Object.spec{items: [Object.spec.items{name: "x", value: has(object.a) ? object.a : 1}]}}',
    map: '{"spec": {"items": [{"name": "x", "value": has(object.a) ? object.a : 1}]}}',
  },
  { text: '[JSONPatch{op: "add", path: "/x", value: 1}]', map: '[{"op": "add", "path": "/x", "value": 1}]' },
  { text: 'Object{?spec: optional.none(), b: 1}', map: '{?"spec": optional.none(), "b": 1}' },
  { text: '\'Object{a: 1}\' + "Object{b: 2}"', map: '\'Object{a: 1}\' + "Object{b: 2}"' },
  { text: 'object.Object.x', map: 'object.Object.x' },
  { text: 'Object{a: 1 // not Object{b: 2}\n}', map: '{"a": 1 // not Object{b: 2}\n}' },
  { text: 'x.map(a, Object.spec{b: a, c: {"d": a}})', map: 'x.map(a, {"b": a, "c": {"d": a}})' },
])('rewrites $text as $map', ({ text, map }) => {
  expect(objectLiteralsAsMaps(text)).toBe(map);
});

test.each([
  { reason: 'an unterminated string', text: `'${String.raw`\'`.repeat(4900)}` },
  { reason: 'an expression beyond the limit', text: `Object{a: "${'x'.repeat(10_000)}"}` },
])('leaves $reason to the compiler', ({ text }) => {
  expect(objectLiteralsAsMaps(text)).toBe(text);
});

test('takes time proportional to the length of an unterminated string', async () => {
  const unclosed = (count: number) => objectLiteralsAsMaps(`'${String.raw`\'`.repeat(count)}`);
  expect(await excessiveItemGrowth(unclosed)).toBeUndefined();
});
