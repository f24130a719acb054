import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { expect, test } from 'vitest';
import { lostPaths } from './lost-fields.ts';
import { isEarlier } from './release.ts';

const stringSchema: Schema = { type: 'string' };

function crd(spec: Readonly<Record<string, Schema>>): CustomResourceDefinition {
  const openAPIV3Schema: Schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } };
  return {
    metadata: { name: 'things.fairway.dev' },
    spec: {
      group: 'fairway.dev',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

test.each<[string, Readonly<Record<string, Schema>>, Readonly<Record<string, Schema>>, string[]]>([
  ['nothing if fields are added', { a: stringSchema }, { a: stringSchema, b: stringSchema }, []],
  ['a field', { a: stringSchema, b: stringSchema }, { a: stringSchema }, ['spec.b']],
  [
    'a field of an object',
    { a: { type: 'object', properties: { b: stringSchema, c: stringSchema } } },
    { a: { type: 'object', properties: { b: stringSchema } } },
    ['spec.a.c'],
  ],
  [
    'a field of items',
    { a: { type: 'array', items: { type: 'object', properties: { b: stringSchema } } } },
    { a: { type: 'array', items: { type: 'object', properties: {} } } },
    ['spec.a[].b'],
  ],
  [
    'nothing if any key is allowed instead',
    { a: { type: 'object', properties: { b: stringSchema } } },
    { a: { type: 'object', additionalProperties: stringSchema } },
    [],
  ],
])('a definition loses %s', (_, before, after, lost) => {
  expect(lostPaths(crd(before), crd(after))).toEqual(lost);
});

test.each([
  ['0.1.0', '0.2.0', true],
  ['0.9.1', '0.10.0', true],
  ['0.2.0', '0.2.0', false],
  ['1.0.0', '0.9.9', false],
  ['0.2', '0.2.1', true],
])('%s is earlier than %s: %s', (a, b, is) => {
  expect(isEarlier(a, b)).toBe(is);
});
