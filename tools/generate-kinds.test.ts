import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedFiles, generateKinds } from './generate-kinds.ts';
import { FREE_FORM_OBJECTS, QUANTITIES } from './kinds/field-types.ts';
import { ATOMIC_OBJECTS, KEY_DEFAULTS, PROPERTY_SEMANTICS } from './kinds/list-semantics.ts';

const kinds = generateKinds();

test('the committed files match the generator (npm run generate)', () => {
  const files = Object.entries(generatedFiles());

  expect(files).not.toEqual([]);
  for (const [path, text] of files) {
    expect(readFileSync(path, 'utf8') === text, `${path} is out of date`).toBe(true);
  }
});

test('tables contain only fields of their types', () => {
  const strayEntries = [PROPERTY_SEMANTICS, KEY_DEFAULTS, QUANTITIES, FREE_FORM_OBJECTS].flatMap((table) =>
    Object.entries(table).flatMap(([definition, fields]) => {
      const properties = kinds.schemas[`io.k8s.${definition}`]?.properties;
      const names = Array.isArray(fields) ? (fields as string[]) : Object.keys(fields);
      return names.filter((name) => properties?.[name] === undefined).map((name) => `${definition}.${name}`);
    }),
  );
  const strayObjects = [...ATOMIC_OBJECTS].filter((name) => kinds.schemas[`io.k8s.${name}`] === undefined);

  expect([...strayEntries, ...strayObjects]).toEqual([]);
});

test('list maps are keyed by fields of their items', () => {
  const keyed = Object.entries(kinds.schemas).flatMap(([definition, schema]) =>
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const item = kinds.schemas[property.items?.$ref ?? ''];
      return (property['x-kubernetes-list-map-keys'] ?? []).map((key) => ({
        name: `${definition}.${name}[${key}]`,
        isField: item?.properties?.[key] !== undefined,
      }));
    }),
  );

  expect(keyed).not.toEqual([]);
  expect(keyed.filter(({ isField }) => !isField)).toEqual([]);
});

test('references have a definition', () => {
  const text = JSON.stringify(kinds.schemas);
  const referred = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string));

  expect([...referred].filter((name) => kinds.schemas[name] === undefined)).toEqual([]);
});

test('special fields match upstream', () => {
  const core = (kind: string, field: string) => kinds.schemas[`io.k8s.api.core.v1.${kind}`]?.properties?.[field];

  expect(core('ServicePort', 'targetPort')).toEqual({ 'x-kubernetes-int-or-string': true });
  expect(core('ServicePort', 'port')).toEqual({ type: 'integer', format: 'int32', default: 0 });
  expect(core('ServicePort', 'protocol')).toEqual({ type: 'string', default: 'TCP' });
  expect(core('Secret', 'data')).toEqual({
    type: 'object',
    additionalProperties: { type: 'string', format: 'byte' },
  });
  expect(core('Container', 'env')).toEqual({
    type: 'array',
    items: { $ref: 'io.k8s.api.core.v1.EnvVar' },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': 'name',
  });
  expect(core('ResourceRequirements', 'limits')?.additionalProperties).toEqual({
    $ref: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  });
  expect(kinds.schemas['io.k8s.api.coordination.v1.LeaseSpec']?.properties?.['renewTime']).toEqual({
    type: 'string',
    format: 'date-time',
  });
  expect(
    kinds.schemas['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps']?.properties?.['$ref'],
  ).toEqual({ type: 'string' });
  expect(kinds.schemas['io.k8s.api.core.v1.Container']?.required).toEqual(['name']);
  expect(kinds.descriptions['io.k8s.api.core.v1.Container']?.['image']).toContain('name.');
});
