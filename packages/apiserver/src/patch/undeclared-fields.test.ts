import { expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { checkDeclaredFields } from './undeclared-fields.ts';

const text: Schema = { type: 'string' };
const ports: Schema = {
  type: 'array',
  items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { ...text, default: 'TCP' } } },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['protocol', 'port'],
};
const schema: Schema = {
  type: 'object',
  properties: { ports, rest: { type: 'array', items: { type: 'object', properties: { a: text } } } },
};
const pools = { group: 'example.com', version: 'v1', kind: 'Pool', schema, definitions: new Map() };
const pool = (fields: object) => ({ metadata: { namespace: 'n', name: 'a' }, ...fields });

it('accepts declared fields, and changes nothing', () => {
  const applied = pool({ ports: [{ port: 1 }], rest: null });

  expect(() => checkDeclaredFields(applied, pools)).not.toThrow();
  expect(applied).toEqual(pool({ ports: [{ port: 1 }], rest: null }));
});

it.each<[string, object, string]>([
  ['a field', { x: 1 }, '.x: field not declared in schema'],
  [
    'a field of an item with keys',
    { ports: [{ port: 1, x: 1 }] },
    '.ports[port=1,protocol="TCP"].x: field not declared',
  ],
  ['a field of an item without keys', { rest: [{ a: 'a' }, { x: 1 }] }, '.rest[1].x: field not declared in schema'],
  ['several', { x: 1, y: 1 }, 'errors:\n  .x: field not declared in schema\n  .y: field not declared in schema'],
])('rejects %s that the schema lacks', (_, fields, detail) => {
  expect(() => checkDeclaredFields(pool(fields), pools)).toThrow(
    `failed to create typed patch object (n/a; example.com/v1, Kind=Pool): ${detail}`,
  );
});

it('reports at most a hundred fields', () => {
  const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f${index}`, 1]));

  expect(() => checkDeclaredFields(pool(fields), { ...pools, group: '', kind: 'Pod' })).toThrow(
    /^failed to create typed patch object \(n\/a; \/v1, Kind=Pod\): errors:\n {2}\.f0: [^]*\.f99: [^\n]*\n {2}and 19900 more$/,
  );
});
