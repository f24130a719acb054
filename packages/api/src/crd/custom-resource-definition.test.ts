import type { Schema } from '@fairway/apiserver/schema/schema';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds/all.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { objectSchema } from './object-schema.ts';

describe.each(KINDS.map((kind) => [kind.kind, kind] as const))('CRD of %s', (_, kind) => {
  const crd = customResourceDefinition(kind);
  const version = crd.spec.versions[0];
  const schema = version?.schema?.openAPIV3Schema ?? {};

  it('is named after its plural name and group', () => {
    expect(crd.metadata.name).toBe(`${kind.plural}.fairway.dev`);
    expect(crd.spec.names.categories).toEqual(['fairway']);
  });

  it('describes every field', () => {
    expect(undescribedFields(schema)).toEqual([]);
  });

  it('includes every default in the description, which is all that kubectl explain shows', () => {
    const undocumented = properties(schema).filter(({ property }) => {
      const { default: value, description = '' } = property;
      if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) return false;
      return !description.endsWith(` Default: ${typeof value === 'string' ? value : JSON.stringify(value)}.`);
    });
    expect(undocumented.map(({ name }) => name)).toEqual([]);
  });

  it('has a message with an example for every pattern', () => {
    const levels = [...walk(objectSchema(kind))].filter(([, { pattern }]) => pattern !== undefined);
    expect(levels.filter(([, level]) => !/^must be .*/.test(level['x-pattern-message'] ?? ''))).toEqual([]);
    const spec = [...walk(schema.properties?.spec ?? {}), ...walk(schema.properties?.status ?? {})];
    expect(spec.filter(([, level]) => level['x-pattern-message'] !== undefined)).toEqual([]);
    // Rules see a date-time as a timestamp, not as a string.
    const raw = spec.filter(([, level]) => level.pattern !== undefined);
    expect(raw.filter(([, level]) => level.format !== 'date-time')).toEqual([]);
    const withRules = spec
      .flatMap(([, level]) => level['x-kubernetes-validations'] ?? [])
      .filter(({ rule }) => /^(type\(self\) == int \|\| )?self\.matches\(/.test(rule));
    expect(withRules).toHaveLength(levels.length - raw.length);
  });

  it('has no empty fields in rules, which kube-apiserver would drop', () => {
    const rules = [...walk(schema)].flatMap(([, level]) => level['x-kubernetes-validations'] ?? []);
    expect(rules.filter((rule) => Object.values(rule).includes(''))).toEqual([]);
  });

  it('gives every level a type', () => {
    const untyped = [...walk(schema)].filter(([, level]) => level.type === undefined);
    expect(untyped.filter(([, level]) => level['x-kubernetes-int-or-string'] !== true)).toEqual([]);
  });

  it('sets defaults only on optional fields, and only to valid values', () => {
    const wrong = properties(schema).filter(({ parent, name, property }) => {
      if (property.default === undefined) return false;
      return parent.required?.includes(name) || (property.enum && !property.enum.includes(property.default));
    });
    expect(wrong).toEqual([]);
  });

  it('limits the length of user-written lists, so that an API server can estimate the cost of rules', () => {
    const lists = [...walk(schema.properties?.spec ?? {})].filter(([, level]) => level.type === 'array');
    expect(lists.filter(([, level]) => level.maxItems === undefined)).toEqual([]);
  });

  it('limits the size of maps with rules, so that an API server can estimate the cost of rules', () => {
    const maps = [...walk(schema)].filter(([, { additionalProperties }]) => typeof additionalProperties === 'object');
    const withRules = maps.filter(([, { additionalProperties }]) =>
      [...walk(additionalProperties as Schema)].some(([, level]) => level['x-kubernetes-validations'] !== undefined),
    );
    expect(withRules.filter(([, level]) => level.maxProperties === undefined)).toEqual([]);
  });

  it('keeps immutable fields below parents that always exist', () => {
    const notEnforced = kind.immutable.filter((path) => {
      const parents = path.split('.').slice(0, -1);
      return !parents.every((name, depth) => {
        const parent = levelAt(schema, parents.slice(0, depth));
        return parent.required?.includes(name) || parent.properties?.[name]?.default !== undefined;
      });
    });
    expect(notEnforced).toEqual([]);
  });

  it('prints only columns that exist', () => {
    const columns =
      version?.additionalPrinterColumns?.filter(({ jsonPath }) => !jsonPath.startsWith('.metadata.')) ?? [];
    const missing = columns.filter(({ jsonPath }) => {
      const path = jsonPath.slice(1).replace(/\[.*/, '').split('.');
      return levelAt(schema, path).type === undefined;
    });
    expect(missing).toEqual([]);
  });
});

function levelAt(schema: Schema, path: readonly string[]): Schema {
  return path.reduce<Schema>((level, name) => level.properties?.[name] ?? {}, schema);
}

interface Property {
  readonly parent: Schema;
  readonly name: string;
  readonly property: Schema;
}

function properties(schema: Schema): Property[] {
  return [...walk(schema)].flatMap(([, parent]) =>
    Object.entries(parent.properties ?? {}).map(([name, property]) => ({ parent, name, property })),
  );
}

function* walk(schema: Schema, path = ''): Generator<[string, Schema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* walk(property, `${path}.${name}`);
  if (schema.items) yield* walk(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') yield* walk(schema.additionalProperties, `${path}{}`);
}

function undescribedFields(schema: Schema): string[] {
  const missing: string[] = [];
  for (const [path, level] of walk(schema)) {
    for (const [name, property] of Object.entries(level.properties ?? {})) {
      if (property.description === undefined && !path.startsWith('.metadata')) missing.push(`${path}.${name}`);
    }
  }
  return missing.filter((path) => path !== '.metadata');
}
