import { cloneJson, isJsonArray, isJsonObject, type JsonObject, setOwn } from '@fairway/kube/object/json';
import { apiVersionOf, type Json, type KubeObject } from '@fairway/kube/object/meta';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALL_KINDS } from '../../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../../kinds/definitions.ts';
import { ACCEPTED_MANIFESTS, RECENT_MANIFESTS } from '../../kinds/testing/kinds-corpus.ts';
import { applyPatch } from '../../patch/apply.ts';
import { applyDefaults } from '../../schema/defaults.ts';
import { objectSchemaOf, resolveSchema } from '../../schema/resolve.ts';
import type { Schema } from '../../schema/schema.ts';
import { keyDefaults, shapeOf } from '../../schema/shape.ts';
import type { ResourceDefinition } from '../../server/resource.ts';
import { TestServer, testResources } from '../../server/test-server.ts';

const definitions = builtinDefinitions();

interface KeyedList {
  readonly kind: ResourceDefinition;
  /** Field names on the path to the list; `[]` stands for an item of an enclosing list. */
  readonly path: readonly string[];
  readonly list: Schema;
}

/** Every list in a built-in kind whose items may omit a key, including those in templates. */
const LISTS: readonly KeyedList[] = ALL_KINDS.flatMap((kind) => {
  const found: KeyedList[] = [];
  const visit = (declared: Schema, path: readonly string[], seen: readonly Schema[]) => {
    const schema = resolveSchema(declared, definitions);
    if (seen.includes(schema)) return;
    const shape = shapeOf(declared, definitions);
    if (shape.kind === 'list-map' && keyDefaults(shape, definitions).size > 0) found.push({ kind, path, list: schema });
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      visit(property, [...path, name], [...seen, schema]);
    }
    if (schema.items) visit(schema.items, [...path, '[]'], [...seen, schema]);
  };
  visit(objectSchemaOf(kind.schema, definitions), [], []);
  return found;
});

test('includes every served kind in the manifests that test apply', () => {
  const known = new Set(
    [...ACCEPTED_MANIFESTS, ...RECENT_MANIFESTS].map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
  );
  const served = ALL_KINDS.map((kind) => `${apiVersionOf(kind)} ${kind.kind}`);

  expect(served.filter((name) => !known.has(name))).toEqual([]);
});

test('finds lists in pods and in all pod templates', () => {
  const names = LISTS.map(({ kind, path }) => `${kind.kind} ${path.join('.')}`);

  expect(names).toContain('Pod spec.containers.[].ports');
  expect(names).toContain('Pod spec.ephemeralContainers.[].ports');
  expect(names).toContain('CronJob spec.jobTemplate.spec.template.spec.initContainers.[].ports');
  expect(names).toContain('Service spec.ports');
  expect(names).toContain('Deployment spec.template.spec.imagePullSecrets');
});

/** Includes a label, so that the applier owns a field even while the list is empty. */
const METADATA = { name: 'a', labels: { by: 'git' } };

/** The object with this list at the path. Items in lists along the path get the keys that identify them. */
function objectWith({ kind, path }: KeyedList, items: readonly Json[]): KubeObject {
  const build = (declared: Schema, rest: readonly string[]): Json => {
    const [step, ...remaining] = rest;
    if (step === undefined) return items;
    const schema = resolveSchema(declared, definitions);
    if (step !== '[]') return { [step]: build(schema.properties?.[step] ?? {}, remaining) };
    const item = build(schema.items ?? {}, remaining) as JsonObject;
    const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => [key, 'x']);
    return [{ ...Object.fromEntries(keys), ...item }];
  };
  const fields = build(objectSchemaOf(kind.schema, definitions), path) as JsonObject;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...fields, metadata: METADATA };
}

interface KeyField {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly standard: Json | undefined;
}

/** How a configuration specifies a key: with its value, or omitted if it is the default. */
type KeyForm = 'said' | 'omitted' | 'null';

interface Item {
  readonly keys: readonly Json[];
  readonly form: KeyForm;
  readonly value: string | undefined;
}

const VALUES: Readonly<Record<KeyField['type'], readonly Json[]>> = {
  string: ['', 'TCP', 'b', '__proto__'],
  integer: [0, 80, -1],
  boolean: [true, false],
};

function itemsOf(keys: readonly KeyField[], valueField: string | undefined) {
  const item: fc.Arbitrary<Item> = fc.record({
    keys: fc.tuple(
      ...keys.map(({ type, standard }) =>
        fc.constantFrom(...VALUES[type], ...(standard === undefined ? [] : [standard, standard])),
      ),
    ),
    form: fc.constantFrom<KeyForm>('said', 'omitted', 'null'),
    value: fc.constantFrom('1', '2', undefined),
  });
  return fc.uniqueArray(item, { maxLength: 4, selector: (one) => JSON.stringify(one.keys) }).map((items) =>
    items.map((one) => {
      const written: Record<string, Json> = {};
      for (const [index, { name, standard }] of keys.entries()) {
        const key = one.keys[index] as Json;
        const isDefault = standard !== undefined && key === standard;
        if (!isDefault || one.form === 'said') setOwn(written, name, key);
        else if (one.form === 'null') setOwn(written, name, null);
      }
      if (one.value !== undefined && valueField !== undefined) written[valueField] = one.value;
      return written;
    }),
  );
}

function withoutTimes(object: KubeObject): unknown {
  const { managedFields = [], resourceVersion: _, generation: _g, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, managedFields: managedFields.map(({ time: _t, ...entry }) => entry) } };
}

/** Drops empty lists: an applied empty list may be stored as an empty list, or not at all. */
function withoutEmpty(value: unknown): unknown {
  if (isJsonArray(value)) return value.map(withoutEmpty);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => !(isJsonArray(member) && member.length === 0));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutEmpty(member)]));
}

describe.each(LISTS.map((list) => [`${list.kind.kind} ${list.path.join('.')}`, list] as const))('%s', (_, list) => {
  const shape = shapeOf(list.list, definitions);
  const properties = resolveSchema(list.list.items ?? {}, definitions).properties ?? {};
  const keys = (shape.kind === 'list-map' ? shape.keys : []).map((name): KeyField => {
    const { type, default: standard } = properties[name] ?? {};
    return { name, type: type as KeyField['type'], standard };
  });
  const items = itemsOf(keys, 'name' in properties && !keys.some(({ name }) => name === 'name') ? 'name' : undefined);

  function apply(live: KubeObject | undefined, applied: KubeObject, nowMs: number): KubeObject {
    const { kind } = list;
    const merged = applyPatch({
      schema: kind.schema,
      definitions,
      hasStatus: kind.hasStatus ?? false,
      live,
      applied,
      manager: 'git',
      force: false,
      apiVersion: applied.apiVersion ?? '',
      subresource: '',
      nowMs,
    });
    const stored = cloneJson(merged);
    applyDefaults(stored, kind.schema, definitions);
    return stored;
  }

  test('is unchanged when applied again, and restored after a change', () => {
    fc.assert(
      fc.property(items, items, (first, second) => {
        const once = apply(undefined, objectWith(list, first), 0);
        const twice = apply(once, objectWith(list, first), 0);
        expect(twice).toEqual(once);
        const changed = apply(twice, objectWith(list, second), 1000);
        const back = apply(changed, objectWith(list, first), 2000);
        expect(withoutEmpty(withoutTimes(back))).toEqual(withoutEmpty(withoutTimes(once)));
      }),
      { numRuns: 20 },
    );
  });
});

const keyField: fc.Arbitrary<KeyField> = fc
  .record({
    name: fc.constantFrom('a', 'b', 'x.y', '__proto__', 'constructor', 'toString'),
    type: fc.constantFrom<KeyField['type']>('string', 'integer', 'boolean'),
    hasDefault: fc.boolean(),
    choice: fc.nat(),
  })
  .map(({ name, type, hasDefault, choice }) => {
    const values = VALUES[type];
    return { name, type, standard: hasDefault ? values[choice % values.length] : undefined };
  });

const customCase = fc
  .uniqueArray(keyField, { minLength: 1, maxLength: 3, selector: ({ name }) => name })
  .chain((keys) =>
    fc.record({ keys: fc.constant(keys), first: itemsOf(keys, 'value'), second: itemsOf(keys, 'value') }),
  );

function customKind(keys: readonly KeyField[]): ResourceDefinition {
  const properties = Object.create(null) as Record<string, Schema>;
  for (const { name, type, standard } of keys) {
    setOwn(properties, name, { type, ...(standard !== undefined && { default: standard }) });
  }
  const items: Schema = {
    type: 'object',
    properties: { ...properties, value: { type: 'string' } },
    required: keys.filter(({ standard }) => standard === undefined).map(({ name }) => name),
  };
  const list: Schema = {
    type: 'array',
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys.map(({ name }) => name),
  };
  return {
    group: 'example.com',
    version: 'v1',
    plural: 'things',
    kind: 'Thing',
    namespaced: false,
    custom: true,
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { list } } } },
  };
}

test('a custom kind with any keys is unchanged when applied again, and restored after a change', async () => {
  await fc.assert(
    fc.asyncProperty(customCase, async ({ keys, first, second }) => {
      const server = new TestServer({ resources: [...testResources, customKind(keys)] });
      const apply = async (list: readonly Json[]) => {
        await server.clock.advance(5000);
        const object = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: METADATA, spec: { list } };
        const path = '/apis/example.com/v1/things/a?fieldManager=git';
        const { status, body } = await server.call('PATCH', path, JSON.stringify(object), {
          'content-type': 'application/apply-patch+yaml',
        });
        expect(status, `${body.message}`).toBeLessThan(300);
        return body;
      };

      const once = await apply(first);
      expect(await apply(first)).toEqual(once);
      expect((once.spec?.['list'] as readonly unknown[] | undefined) ?? []).toHaveLength(first.length);
      const changed = await apply(second);
      expect(await apply(second)).toEqual(changed);
      const back = await apply(first);
      expect(withoutEmpty(withoutTimes(back))).toEqual(withoutEmpty(withoutTimes(once)));
    }),
    { numRuns: 200 },
  );
});
