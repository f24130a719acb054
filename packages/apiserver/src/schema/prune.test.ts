import { describe, expect, it } from 'vitest';
import { applyDefaults } from './defaults.ts';
import { pruneObject, unknownFieldMessage } from './prune.ts';
import type { Definitions, Schema } from './schema.ts';

const string: Schema = { type: 'string' };
const definitions: Definitions = new Map<string, Schema>([
  ['Port', { type: 'object', properties: { number: { type: 'integer' }, protocol: { ...string, default: 'TCP' } } }],
  [
    'Tree',
    {
      type: 'object',
      properties: { value: { ...string, default: 'leaf' }, children: { type: 'array', items: { $ref: 'Tree' } } },
    },
  ],
]);
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        name: string,
        nullable: { ...string, nullable: true },
        withDefault: { ...string, default: 'd' },
        nullableDefault: { ...string, default: 'd', nullable: true },
        ports: { type: 'array', items: { $ref: 'Port' } },
        byName: { type: 'object', additionalProperties: { $ref: 'Port' } },
        tree: { $ref: 'Tree' },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: {} } },
        },
        any: {},
        empty: { type: 'object' },
        open: { type: 'object', additionalProperties: true },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { a: string } } },
        },
        settings: { type: 'object', default: {}, properties: { level: { type: 'integer', default: 3 } } },
      },
    },
  },
};

describe('pruning', () => {
  it.each<[string, object, object, string[]]>([
    ['known fields', { name: 'a', ports: [{ number: 1 }] }, { name: 'a', ports: [{ number: 1 }] }, []],
    ['an unknown field', { nam: 'a' }, {}, ['spec.nam']],
    ['an unknown field of an item', { ports: [{}, { numbr: 1 }] }, { ports: [{}, {}] }, ['spec.ports[1].numbr']],
    ['an unknown field in a map', { byName: { x: { y: 1 } } }, { byName: { x: {} } }, ['spec.byName.x.y']],
    [
      'a recursive type',
      { tree: { children: [{ children: [{ x: 1 }] }] } },
      { tree: { children: [{ children: [{}] }] } },
      ['spec.tree.children[0].children[0].x'],
    ],
    ['unknown fields that are preserved', { free: { a: { b: 1 } } }, { free: { a: { b: 1 } } }, []],
    [
      'known fields within preserved ones',
      { free: { known: { x: 1 } } },
      { free: { known: {} } },
      ['spec.free.known.x'],
    ],
    ['values without a type', { any: { a: [1] } }, { any: { a: [1] } }, []],
    ['an object without fields', { empty: { a: 1 } }, { empty: {} }, ['spec.empty.a']],
    ['an open map', { open: { a: { b: 1 } } }, { open: { a: { b: 1 } } }, []],
    [
      'an embedded resource',
      { embedded: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', x: 1 }, spec: { a: '1', b: 2 } } },
      { embedded: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec: { a: '1' } } },
      ['spec.embedded.metadata.x', 'spec.embedded.spec.b'],
    ],
    [
      'nulls in fields that are not nullable',
      { name: null, nullable: null, withDefault: null, any: null },
      { nullable: null, withDefault: null, any: null },
      [],
    ],
  ])('%s', (_, spec, expected, paths) => {
    const object = { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'a' }, spec };
    expect(pruneObject(object, schema, definitions)).toEqual(paths);
    expect(object.spec).toEqual(expected);
  });

  it('keeps the standard fields of every object, and reports others like upstream', () => {
    const object = {
      apiVersion: 'x/v1',
      kind: 'X',
      metadata: { name: 'a', creationTimestamp: null, nam: 'b' },
      stauts: {},
    };
    const paths = pruneObject(object, schema, definitions);
    expect(paths.map(unknownFieldMessage)).toEqual(['unknown field "metadata.nam"', 'unknown field "stauts"']);
    expect(object).toEqual({ apiVersion: 'x/v1', kind: 'X', metadata: { name: 'a' } });
  });
});

describe('defaults', () => {
  it.each<[string, object, object]>([
    ['missing fields', {}, { withDefault: 'd', nullableDefault: 'd', settings: { level: 3 } }],
    [
      'nulls in fields that are not nullable',
      { withDefault: null, nullableDefault: null, settings: {} },
      { withDefault: 'd', nullableDefault: null, settings: { level: 3 } },
    ],
    [
      'explicit values are kept',
      { withDefault: '', nullableDefault: 'x', settings: { level: 0 } },
      { withDefault: '', nullableDefault: 'x', settings: { level: 0 } },
    ],
    [
      'items, maps and recursive types',
      {
        withDefault: 'd',
        nullableDefault: 'd',
        settings: { level: 1 },
        ports: [{}],
        byName: { x: {} },
        tree: { children: [{}] },
      },
      {
        withDefault: 'd',
        nullableDefault: 'd',
        settings: { level: 1 },
        ports: [{ protocol: 'TCP' }],
        byName: { x: { protocol: 'TCP' } },
        tree: { value: 'leaf', children: [{ value: 'leaf' }] },
      },
    ],
  ])('%s', (_, spec, expected) => {
    const object = { metadata: {}, spec };
    applyDefaults(object, schema, definitions);
    expect(object).toEqual({ metadata: {}, spec: expected });
  });

  it('are not shared between objects, and do not create missing objects', () => {
    const [first, second]: { spec: { settings?: object } }[] = [{ spec: {} }, { spec: {} }];
    applyDefaults(first as object, schema, definitions);
    applyDefaults(second as object, schema, definitions);
    expect(first?.spec.settings).not.toBe(second?.spec.settings);
    const bare = { metadata: {} };
    applyDefaults(bare, schema, definitions);
    expect(bare).toEqual({ metadata: {} });
  });

  it('are rejected if nested lists would exhaust memory', () => {
    let nested: Schema = { type: 'object', properties: { v: { type: 'string', default: 'x' } } };
    for (let level = 0; level < 9; level++) {
      const list: Schema = { type: 'array', items: nested, default: Array.from({ length: 10 }, () => ({})) };
      nested = { type: 'object', properties: { list } };
    }
    const defaulted = () => applyDefaults({ metadata: {} }, nested, new Map());
    expect(defaulted).toThrow(
      /the defaults of the object's schema, such as that of "\w+", add more than 3145728 bytes/,
    );
  });
});
