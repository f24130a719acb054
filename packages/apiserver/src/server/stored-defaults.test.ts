import type { Json, KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { Entry } from '../store/store.ts';
import { canonicalText, ServedResource } from './served-resource.ts';
import { StoredDefaults } from './stored-defaults.ts';

const V1 = 'example.org/v1';

function schemaOf(standard: Json): Schema {
  return { type: 'object', properties: { spec: { type: 'object', properties: { size: { default: standard } } } } };
}

function entryOf(spec: object, apiVersion = V1): Entry {
  const object = { apiVersion, kind: 'Box', metadata: { name: 'a', resourceVersion: '7' }, spec } as KubeObject;
  return new Entry('a', 7, canonicalText(object));
}

function specOf(entry: Entry): unknown {
  return (entry.object() as { spec?: unknown }).spec;
}

describe('defaults of stored objects', () => {
  const defaults = new StoredDefaults(new Map([[V1, schemaOf('M')]]));

  it('are set if missing, once for each object', () => {
    const entry = entryOf({ door: 'red' });

    expect(specOf(defaults.of(entry))).toEqual({ door: 'red', size: 'M' });
    expect(defaults.of(entry)).toBe(defaults.of(entry));
    expect(defaults.of(entry)).toMatchObject({ key: 'a', revision: 7 });
    expect(specOf(entry), 'as it is stored').toEqual({ door: 'red' });
  });

  it.each([
    ['that already set all fields with defaults', entryOf({ size: 'L' })],
    ['of a version whose schema has no defaults', entryOf({}, 'example.org/v2')],
  ])('leave objects unchanged %s', (_, entry) => {
    expect(defaults.of(entry)).toBe(entry);
  });

  it('leave objects unchanged if they would add more than 16 KiB, so they can still be read', () => {
    const entry = entryOf({});

    expect(new StoredDefaults(new Map([[V1, schemaOf('x'.repeat(17_000))]])).of(entry)).toBe(entry);
  });

  it('are recomputed for objects beyond a 16 MiB cache', () => {
    const large = new StoredDefaults(new Map([[V1, schemaOf('x'.repeat(16_000))]]));
    const entries = Array.from({ length: 1100 }, () => entryOf({}));

    const kept = entries.filter((entry) => large.of(entry) === large.of(entry)).length;

    expect(kept).toBeGreaterThan(1000);
    expect(kept).toBeLessThan(1060);
  });
});

it('sets defaults in stored objects before their conversion to another version', () => {
  const served = ServedResource.of({
    group: 'example.org',
    version: 'v2',
    plural: 'boxes',
    kind: 'Box',
    namespaced: false,
    schema: schemaOf('never'),
    storedDefaults: new Map([[V1, schemaOf('M')]]),
    storedAs: {
      group: 'example.org',
      plural: 'boxes',
      toStored: (object) => ({ ...object, apiVersion: V1 }),
      fromStored: (object) => ({ ...object, apiVersion: 'example.org/v2' }),
    },
  });
  const entry = entryOf({});

  expect(served.objectOf(entry)).toMatchObject({ apiVersion: 'example.org/v2', spec: { size: 'M' } });
  expect(JSON.parse(served.textOf(entry))).toEqual(served.copyOf(entry));
  expect(served.lacksDefaults(entry)).toBe(true);
});
