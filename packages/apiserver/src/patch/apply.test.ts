import { isApiError } from '@fairway/kube/object/api-error';
import { cloneJson } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../schema/defaults.ts';
import type { Schema } from '../schema/schema.ts';
import { applyPatch } from './apply.ts';
import { trackUpdate } from './managed-fields.ts';

const T0 = Date.UTC(2026, 0, 1);

const string: Schema = { type: 'string' };
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        image: string,
        free: { type: 'object', additionalProperties: string },
        list: { type: 'array', items: string },
        set: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: string, value: string, deep: { type: 'object', properties: { a: string, b: string } } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        ports: {
          type: 'array',
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: string },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
        },
        nested: { type: 'object', properties: { a: string, b: string } },
      },
    },
    status: { type: 'object', properties: { phase: string } },
  },
};
const kind = { schema, definitions: new Map(), hasStatus: true, apiVersion: 'x.io/v1' };

interface Thing extends KubeObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

function thing(spec: Record<string, unknown> | undefined, rest: Partial<Thing> = {}): Thing {
  return { apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'a' }, ...(spec && { spec }), ...rest };
}

interface Options {
  readonly force?: boolean;
  readonly subresource?: string;
  readonly nowMs?: number;
}

/** A configuration without fields to own. */
const nothing = thing(undefined);

/** An object in a store, written by managers one after another. */
class StoredObject {
  object: Thing | undefined;

  apply(manager: string, configuration: Thing | Record<string, unknown>, options: Options = {}): this {
    const applied = 'metadata' in configuration ? (configuration as Thing) : thing(configuration);
    const { force = false, subresource = '', nowMs = T0 } = options;
    const merged = applyPatch({ ...kind, live: this.object, applied, manager, force, subresource, nowMs });
    if (merged === this.object) return this;
    // Sets defaults, as a server does before it stores an object.
    this.object = cloneJson(merged);
    applyDefaults(this.object, schema, kind.definitions);
    return this;
  }

  update(manager: string, spec: Record<string, unknown>, options: Options = {}): this {
    const { subresource = '', nowMs = T0 } = options;
    const updated = { ...(this.object ?? thing(undefined)), spec };
    const managedFields = trackUpdate({ ...kind, live: this.object, updated, manager, subresource, nowMs });
    this.object = { ...updated, metadata: { ...updated.metadata, uid: '1', managedFields: [...managedFields] } };
    return this;
  }

  get spec(): unknown {
    return this.object?.spec;
  }

  get owners(): Record<string, unknown> {
    const entries = this.object?.metadata.managedFields ?? [];
    return Object.fromEntries(entries.map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, fieldsV1]));
  }

  conflictOf(manager: string, configuration: Record<string, unknown>): unknown {
    try {
      this.apply(manager, configuration);
    } catch (error) {
      if (isApiError(error)) return { code: error.code, message: error.message, causes: error.causes };
      throw error;
    }
    return undefined;
  }
}

describe('apply', () => {
  it('creates the object, and owns leaves but not their parents', () => {
    const stored = new StoredObject().apply('a', {
      replicas: 1,
      nested: { a: '1' },
      items: [{ name: 'x' }],
      free: { k: 'v' },
    });
    expect(stored.owners).toEqual({
      'a Apply': {
        'f:spec': {
          'f:free': { 'f:k': {} },
          'f:items': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
          'f:nested': { 'f:a': {} },
          'f:replicas': {},
        },
      },
    });
    expect(stored.object).toMatchObject({ apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'a' } });
  });

  it('is a no-op when repeated, without a new time', () => {
    const stored = new StoredObject().apply('a', { replicas: 1, set: ['x'] });
    const previous = stored.object;
    expect(stored.apply('a', { replicas: 1, set: ['x'] }, { nowMs: T0 + 5000 }).object).toBe(previous);
  });

  it.each<[string, object, object, object]>([
    ['a scalar', { replicas: 1, image: 'i' }, { image: 'i' }, { image: 'i' }],
    ['the last field', { replicas: 1 }, {}, {}],
    ['a key of a map', { free: { a: '1', b: '2' } }, { free: { a: '1' } }, { free: { a: '1' } }],
    ['all keys of a map', { image: 'i', free: { a: '1' } }, { image: 'i' }, { image: 'i' }],
    ['a value of a set', { set: ['a', 'b'] }, { set: ['b'] }, { set: ['b'] }],
    [
      'an item',
      { items: [{ name: 'a', value: '1' }, { name: 'b' }] },
      { items: [{ name: 'b' }] },
      { items: [{ name: 'b' }] },
    ],
    [
      'a field of an item',
      { items: [{ name: 'a', value: '1' }] },
      { items: [{ name: 'a' }] },
      { items: [{ name: 'a' }] },
    ],
    ['an atomic list', { image: 'i', list: ['a'] }, { image: 'i' }, { image: 'i' }],
    ['a nested field', { nested: { a: '1', b: '2' } }, { nested: { b: '2' } }, { nested: { b: '2' } }],
  ])('removes %s if no longer applied', (_, first, second, expected) => {
    const stored = new StoredObject().apply('a', first as Thing).apply('a', second as Thing);
    expect(stored.spec ?? {}).toEqual(expected);
  });

  it('does not remove fields that another manager owns, or that no manager owns', () => {
    const stored = new StoredObject()
      .apply('a', { items: [{ name: 'x', value: '1', deep: { a: '1' } }], free: { a: '1' }, set: ['p'] })
      .apply('b', { items: [{ name: 'x', deep: { b: '2' } }], free: { b: '2' }, set: ['p', 'q'] })
      .apply('a', nothing);
    expect(stored.spec).toEqual({ items: [{ name: 'x', deep: { b: '2' } }], free: { b: '2' }, set: ['p', 'q'] });
    expect(Object.keys(stored.owners)).toEqual(['b Apply']);
  });

  it('keeps an empty list that is applied, and drops an empty list that is omitted', () => {
    const stored = new StoredObject()
      .apply('a', { image: 'i', items: [{ name: 'x' }] })
      .apply('a', { image: 'i', items: [] });
    expect(stored.spec).toEqual({ image: 'i', items: [] });
    const again = stored.object;
    expect(stored.apply('a', { image: 'i', items: [] }).object).toBe(again);
  });

  it('keeps an empty map that another manager owns, regardless of who filled it', () => {
    const stored = new StoredObject().apply('a', { image: 'i', nested: {} }).apply('b', { nested: {} });
    (stored.object as Thing).spec = { image: 'i', nested: { a: 'default' } };
    stored.apply('a', { image: 'i' });
    expect(stored.owners['b Apply']).toEqual({ 'f:spec': { 'f:nested': {} } });
    expect(stored.spec).toEqual({ image: 'i', nested: { a: 'default' } });
  });

  it('changes nothing when an empty configuration is applied to unowned fields', () => {
    const stored = new StoredObject();
    stored.object = thing({ replicas: 1 });
    expect(stored.apply('a', nothing).object).toEqual(thing({ replicas: 1 }));
  });

  it('keeps a field that an updater has set since the last apply', () => {
    const stored = new StoredObject()
      .apply('a', { replicas: 1, image: 'i' })
      .update('hpa', { replicas: 5, image: 'i' });
    expect(stored.apply('a', { image: 'i' }).spec).toEqual({ replicas: 5, image: 'i' });
  });

  it('shares a field with a manager that applies the same value, and leaves it to that manager on release', () => {
    const stored = new StoredObject().apply('a', { replicas: 1 }).apply('b', { replicas: 1 });
    expect(Object.keys(stored.owners)).toEqual(['a Apply', 'b Apply']);
    expect(stored.apply('a', nothing).spec).toEqual({ replicas: 1 });
    expect(stored.apply('b', nothing).spec).toBeUndefined();
    expect(stored.owners).toEqual({});
  });

  it('writes status only through the status subresource, and other fields only through the object', () => {
    const stored = new StoredObject().apply('a', thing({ replicas: 1 }, { status: { phase: 'ignored' } }));
    expect(stored.object?.status).toBeUndefined();
    stored.apply('b', thing({ replicas: 7 }, { status: { phase: 'Ready' } }), { subresource: 'status' });
    expect(stored.object).toMatchObject({ spec: { replicas: 1 }, status: { phase: 'Ready' } });
    expect(stored.owners['b Apply']).toEqual({ 'f:status': { 'f:phase': {} } });
    expect(stored.apply('a', { replicas: 2 }).object?.status).toEqual({ phase: 'Ready' });
  });

  it('owns labels, and keeps server-managed metadata', () => {
    const stored = new StoredObject().apply('a', thing(undefined, { metadata: { name: 'a', labels: { x: '1' } } }));
    stored.object = {
      ...(stored.object as Thing),
      metadata: { ...stored.object?.metadata, uid: '1', resourceVersion: '4' },
    };
    stored.apply('a', thing(undefined, { metadata: { name: 'a', annotations: { y: '2' } } }));
    const { managedFields, ...metadata } = stored.object?.metadata ?? {};
    expect(metadata).toEqual({ name: 'a', uid: '1', resourceVersion: '4', annotations: { y: '2' } });
    expect(managedFields?.[0]?.fieldsV1).toEqual({ 'f:metadata': { 'f:annotations': { 'f:y': {} } } });
    expect(stored.apply('a', thing(undefined)).object?.metadata).toEqual({ name: 'a', uid: '1', resourceVersion: '4' });
  });
});

describe('the order of an applied list', () => {
  it.each([
    ['a b', 'b a', 'b a'],
    ['a b', 'a x', 'a b x'],
    ['a b c', 'c a', 'b c a'],
    ['a b c', 'x c', 'a b x c'],
    ['a b c d', 'd b', 'a c d b'],
    ['', 'b a', 'b a'],
  ])('%s with %s applied is %s', (live, applied, expected) => {
    const list = (text: string) => ({ set: text.split(' ').filter(Boolean) });
    const stored = new StoredObject().update('u', list(live)).apply('a', list(applied));
    expect(stored.spec).toEqual(list(expected));
  });
});

describe('items whose key has a default', () => {
  const bare = { ports: [{ port: 80 }] };
  const stored = { ports: [{ port: 80, protocol: 'TCP' }] };
  const PATH = 'k:{"port":80,"protocol":"TCP"}';

  it('stay a single item however often they are applied', () => {
    const object = new StoredObject().apply('a', bare);
    const first = object.object;
    expect(first).toMatchObject({ spec: stored });
    expect(object.apply('a', bare, { nowMs: T0 + 5000 }).object).toBe(first);
    expect(object.owners).toEqual({ 'a Apply': { 'f:spec': { 'f:ports': { [PATH]: { '.': {}, 'f:port': {} } } } } });
  });

  it.each<[string, object]>([
    ['named', { port: 80, protocol: 'TCP' }],
    ['null', { port: 80, protocol: null }],
    ['left out', { port: 80 }],
  ])('are the same item with the key %s', (_, port) => {
    const object = new StoredObject()
      .apply('a', { ports: [port] })
      .apply('b', bare)
      .apply('c', stored);
    expect(object.spec).toEqual(stored);
    for (const fields of Object.values(object.owners)) {
      expect(fields).toMatchObject({ 'f:spec': { 'f:ports': { [PATH]: { '.': {} } } } });
    }
  });

  it('are removed when no longer applied', () => {
    const object = new StoredObject().apply('a', { ports: [{ port: 80 }, { port: 53, protocol: 'UDP' }] });
    expect(object.apply('a', { ports: [{ port: 53, protocol: 'UDP' }] }).spec).toEqual({
      ports: [{ port: 53, protocol: 'UDP' }],
    });
  });

  it('differ from items with a different key', () => {
    const object = new StoredObject().apply('a', { ports: [{ port: 53 }, { port: 53, protocol: 'UDP', name: 'dns' }] });
    expect(
      object.apply('a', {
        ports: [
          { port: 53, name: 'tcp' },
          { port: 53, protocol: 'UDP' },
        ],
      }).spec,
    ).toEqual({
      ports: [
        { port: 53, name: 'tcp', protocol: 'TCP' },
        { port: 53, protocol: 'UDP' },
      ],
    });
  });

  it('conflict under the stored key', () => {
    const object = new StoredObject().apply('a', { ports: [{ port: 80, name: 'x' }] });
    expect(object.conflictOf('b', { ports: [{ port: 80, name: 'y' }] })).toMatchObject({
      causes: [{ field: '.spec.ports[port=80,protocol="TCP"].name' }],
    });
  });

  it('are rejected if one configuration contains them with the key and without', () => {
    expect(() => new StoredObject().apply('a', { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] })).toThrow(
      '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    );
  });

  describe('applied before the key had a default', () => {
    const old = () => {
      const object = new StoredObject().apply('a', bare);
      const fieldsV1 = { 'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:port': {} } } } };
      const entry = {
        manager: 'a',
        operation: 'Apply',
        apiVersion: 'x.io/v1',
        fieldsType: 'FieldsV1',
        fieldsV1,
      } as const;
      (object.object as Thing).metadata.managedFields = [entry];
      return object;
    };

    it('are owned under the stored key from the next apply on', () => {
      const object = old().apply('a', bare);
      expect(object.spec).toEqual(stored);
      expect(object.owners).toEqual({ 'a Apply': { 'f:spec': { 'f:ports': { [PATH]: { '.': {}, 'f:port': {} } } } } });
    });

    it('are removed when no longer applied', () => {
      expect(old().apply('a', { image: 'i' }).spec).toEqual({ image: 'i' });
    });

    it('are replaced by the applied item if they were duplicated with different fields', () => {
      const object = old();
      (object.object as Thing).spec = { ports: [{ port: 80, protocol: 'TCP', name: 'x' }, ...stored.ports] };
      expect(object.apply('a', bare).spec).toEqual(stored);
    });

    it('are merged if they were duplicated', () => {
      const object = old();
      (object.object as Thing).spec = { ports: [...stored.ports, ...stored.ports] };
      expect(object.apply('a', bare).spec).toEqual(stored);
    });
  });
});

describe('conflicts', () => {
  it('name the field and its manager, as kubectl prints them', () => {
    const stored = new StoredObject().apply('a', { replicas: 1 });
    expect(stored.conflictOf('b', { replicas: 2 })).toEqual({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "a": .spec.replicas',
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.replicas' }],
    });
  });

  it('are grouped by manager if there are many', () => {
    const stored = new StoredObject()
      .update('kubectl-edit', { replicas: 1, items: [{ name: 'x', value: '1' }] })
      .update('hpa', { replicas: 2, items: [{ name: 'x', value: '1' }] }, { subresource: 'scale' });
    expect(stored.conflictOf('b', { replicas: 3, items: [{ name: 'x', value: '2' }] })).toMatchObject({
      message: [
        'Apply failed with 2 conflicts: conflicts with "hpa" with subresource "scale" using x.io/v1:',
        '- .spec.replicas',
        'conflicts with "kubectl-edit" using x.io/v1:',
        '- .spec.items[name="x"].value',
      ].join('\n'),
    });
  });

  it('are overridden with force, which takes over the fields', () => {
    const stored = new StoredObject()
      .apply('a', { replicas: 1, image: 'i' })
      .apply('b', { replicas: 2 }, { force: true });
    expect(stored.spec).toEqual({ replicas: 2, image: 'i' });
    expect(stored.owners).toEqual({
      'a Apply': { 'f:spec': { 'f:image': {} } },
      'b Apply': { 'f:spec': { 'f:replicas': {} } },
    });
  });

  it('arise for atomic values as a whole, but per member for maps and sets', () => {
    const stored = new StoredObject().apply('a', { list: ['a'], free: { a: '1' }, set: ['a'] });
    expect(stored.conflictOf('b', { free: { b: '2' }, set: ['b'] })).toBeUndefined();
    expect(stored.conflictOf('b', { list: ['a', 'b'] })).toMatchObject({
      message: expect.stringContaining('.spec.list'),
    });
  });

  it("arise with the same manager's updates, which count as a different manager's", () => {
    const stored = new StoredObject().update('a', { replicas: 1 });
    expect(stored.conflictOf('a', { replicas: 2 })).toMatchObject({
      message: expect.stringContaining('"a" using x.io/v1'),
    });
  });

  it('arise with fields set before the first apply', () => {
    const stored = new StoredObject();
    stored.object = thing({ replicas: 1 }, { metadata: { name: 'a', uid: '1' } });
    expect(stored.conflictOf('b', { replicas: 2 })).toMatchObject({
      message: expect.stringContaining('"before-first-apply"'),
    });
    expect(Object.keys(stored.apply('b', { replicas: 1 }).owners)).toEqual(['b Apply', 'before-first-apply Update']);
  });

  it('do not arise for kubectl with unchanged fields that client-side apply set', () => {
    const configuration = thing({ replicas: 1, image: 'i' });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(configuration) };
    const stored = new StoredObject();
    stored.object = { ...configuration, metadata: { name: 'a', annotations } };
    stored.update('kubectl-client-side-apply', { replicas: 1, image: 'i' });
    const entry = {
      manager: 'kubectl-client-side-apply',
      operation: 'Update',
      apiVersion: 'x.io/v1',
      fieldsType: 'FieldsV1',
    } as const;
    stored.object.metadata.managedFields = [{ ...entry, fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:image': {} } } }];
    expect(stored.apply('kubectl', { replicas: 2 }).spec).toEqual({ replicas: 2, image: 'i' });
    const synced = stored.object.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '';
    expect(JSON.parse(synced)).toMatchObject({ spec: { replicas: 2 } });
    stored.update('kubectl-edit', { replicas: 3, image: 'i' });
    expect(stored.conflictOf('kubectl', { replicas: 4 })).toMatchObject({ code: 409 });
  });
});

describe('rejected configurations', () => {
  it.each<[string, Thing, string]>([
    [
      'managedFields',
      thing({}, { metadata: { name: 'a', managedFields: [{ manager: 'x' }] } }),
      'metadata.managedFields must be nil',
    ],
    [
      'items without a key',
      thing({ items: [{ value: '1' }] }),
      '.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"]',
    ],
    [
      'items that share a key',
      thing({ items: [{ name: 'a' }, { name: 'a' }] }),
      '.spec.items: duplicate entries for key [name="a"]',
    ],
    ['duplicate values in a set', thing({ set: ['a', 'a'] }), '.spec.set: duplicate entries for key [="a"]'],
  ])('%s', (_, applied, message) => {
    expect(() => new StoredObject().apply('a', applied)).toThrow(message);
  });
});

const names = fc.constantFrom('a', 'b', 'c');
const text = fc.constantFrom('1', '2');
const configuration = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 2 }),
    free: fc.dictionary(names, text),
    set: fc.uniqueArray(names),
    list: fc.array(names, { maxLength: 2 }),
    items: fc.uniqueArray(fc.record({ name: names, value: text }, { requiredKeys: ['name'] }), {
      selector: ({ name }) => name,
    }),
  },
  { requiredKeys: [] },
);

describe('apply with arbitrary configurations', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const stored = new StoredObject().update('u', first).apply('a', second, { force: true });
        const once = stored.object;
        expect(stored.apply('a', second, { nowMs: T0 + 1000 }).object).toBe(once);
      }),
    );
  });

  it('sets applied fields, and removes fields that their only applier dropped', () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const stored = new StoredObject().apply('a', first).apply('a', second);
        const alone = new StoredObject().apply('a', second);
        expect(pruneEmpty(stored.spec ?? {})).toEqual(pruneEmpty(alone.spec ?? {}));
      }),
    );
  });

  it("does not undo other appliers' changes, and leaves no owned fields once all appliers have released theirs", () => {
    fc.assert(
      fc.property(configuration, configuration, (firstConfig, secondConfig) => {
        const previous = new StoredObject().apply('b', secondConfig);
        const agreed = { ...firstConfig, ...secondConfig };
        const stored = new StoredObject().apply('b', secondConfig).apply('a', agreed).apply('a', nothing);
        expect(stored.owners).toEqual(previous.owners);
        expect(pruneEmpty(stored.spec)).toEqual(pruneEmpty(previous.spec));
      }),
    );
  });
});

/** Drops empty members: an emptied list or map may remain or be removed. */
function pruneEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(
    ([, member]) => typeof member !== 'object' || Object.keys(member).length > 0,
  );
  return Object.fromEntries(kept);
}
