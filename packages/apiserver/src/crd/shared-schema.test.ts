import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { resourcesOfCrd } from './resources-of-crd.ts';
import { sharedSchema } from './shared-schema.ts';
import type { CustomResourceDefinition } from './types.ts';

const schema: Schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { replicas: { type: 'integer', default: 1 } } } },
};

function crd(name = 'v1'): CustomResourceDefinition {
  return {
    metadata: { name: 'machines.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'machines', kind: 'Machine' },
      versions: [{ name, served: true, storage: true, schema: { openAPIV3Schema: structuredClone(schema) } }],
    },
  };
}

describe('schemas of equal definitions', () => {
  it('are a single object, for requests and for stored objects', () => {
    const [first] = resourcesOfCrd(crd());
    const [second] = resourcesOfCrd(crd());

    expect(second?.schema).toBe(first?.schema);
    expect(second?.storedDefaults?.get('example.org/v1')).toBe(first?.schema);
  });

  it('are a single object for versions and kinds with the same schema', () => {
    expect(resourcesOfCrd(crd('v1'))[0]?.schema).toBe(resourcesOfCrd(crd('v2'))[0]?.schema);
  });
});

it.each<[string, Schema]>([
  ['a value', { type: 'object', properties: { spec: { type: 'object', default: { a: 2 } } } }],
  ['a type', { type: 'object', properties: { spec: { type: 'object', default: { a: '1' } } } }],
  ['a name', { type: 'object', properties: { Spec: { type: 'object', default: { a: 1 } } } }],
  [
    'the order of fields, which documents show',
    { properties: { spec: { default: { a: 1 }, type: 'object' } }, type: 'object' },
  ],
])('schemas that differ in %s are different objects', (_what, other) => {
  const one: Schema = { type: 'object', properties: { spec: { type: 'object', default: { a: 1 } } } };

  expect(sharedSchema(one)).toEqual(one);
  expect(sharedSchema(other)).not.toBe(sharedSchema(one));
  expect(JSON.stringify(sharedSchema(other))).toBe(JSON.stringify(other));
});
