import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { FREE_FORM_OBJECTS, QUANTITIES } from './kinds/field-types.ts';
import { ATOMIC_OBJECTS, KEY_DEFAULTS, type MergeSemantics, PROPERTY_SEMANTICS } from './kinds/list-semantics.ts';
import { isModel, type Model, type ModelProperty, readModel } from './kinds/models.ts';
import { isKind, MODEL_PACKAGES, type ModelPackage } from './kinds/packages.ts';
import { generateTypes } from './kinds/types.ts';

/** Key fields of list maps. */
const KEY_FIELDS: ReadonlySet<string> = new Set(
  Object.values(PROPERTY_SEMANTICS).flatMap((fields) => Object.values(fields).flatMap(({ mapKeys = [] }) => mapKeys)),
);

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const QUANTITY_SCHEMA: Schema = { oneOf: [{ type: 'string' }, { type: 'number' }] };
const QUANTITY_DESCRIPTION =
  'Quantity is a fixed-point number with a decimal (m, k, M, G, T, P, E) or binary (Ki, Mi, Gi, Ti, Pi, Ei) suffix.';

export interface GeneratedKinds {
  /** Source text of a module with TypeScript interfaces. */
  readonly types: string;
  /** Maps definition names to schemas without descriptions. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Maps definition names to descriptions of the definition ('') and its properties. */
  readonly descriptions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Converts the models of @kubernetes/client-node to OpenAPI definitions with upstream's names. */
export function generateKinds(): GeneratedKinds {
  const definitionNames = new Map<string, string>();
  const kinds = new Map<string, { group: string; version: string; kind: string }>();
  const models = new Map<string, Model>();
  for (const modelPackage of MODEL_PACKAGES) {
    for (const name of modelPackage.models) collect(name, modelPackage, models, definitionNames);
    for (const name of modelPackage.models) {
      const properties = models.get(name)?.properties.map((property) => property.name) ?? [];
      if (modelPackage.groupVersion === undefined || !isKind(name, properties)) continue;
      kinds.set(name, { ...modelPackage.groupVersion, kind: kindOf(name) });
    }
  }
  const schemas: [string, Schema][] = [[QUANTITY, QUANTITY_SCHEMA]];
  const descriptions: [string, Record<string, string>][] = [[QUANTITY, { '': QUANTITY_DESCRIPTION }]];
  for (const [name, model] of models) {
    const definition = definitionNames.get(name) as string;
    const groupVersionKind = kinds.get(name);
    schemas.push([
      definition,
      {
        ...toSchema(model, definition, definitionNames),
        ...(groupVersionKind && { 'x-kubernetes-group-version-kind': [groupVersionKind] }),
      },
    ]);
    descriptions.push([definition, toDescriptions(model)]);
  }
  return {
    schemas: sortedRecord(schemas),
    descriptions: sortedRecord(descriptions),
    types: generateTypes([...models.values()], definitionNames, kinds),
  };
}

/** Reads a model and everything it refers to; definitions reached from an earlier package keep that package's name. */
function collect(
  name: string,
  modelPackage: ModelPackage,
  models: Map<string, Model>,
  definitionNames: Map<string, string>,
): void {
  if (models.has(name)) return;
  const model = readModel(name);
  models.set(name, model);
  definitionNames.set(name, `${modelPackage.name}.${kindOf(name)}`);
  for (const property of model.properties) {
    const referred = innermostType(property.type);
    if (isModel(referred)) collect(referred, modelPackage, models, definitionNames);
  }
}

/** Shortens `CoreV1Event` to `Event` and `V2MetricSpec` to `MetricSpec`. */
function kindOf(model: string): string {
  return model.replace(/^[A-Za-z]*?V\d+(?=[A-Z])/, '');
}

function innermostType(type: string): string {
  const inner = /^Array<(.*)>$/.exec(type)?.[1] ?? /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  return inner === undefined ? type : innermostType(inner);
}

function toSchema(model: Model, definition: string, definitionNames: ReadonlyMap<string, string>): Schema {
  const short = definition.replace(/^io\.k8s\./, '');
  const required = model.properties.filter((property) => property.required).map((property) => property.name);
  const properties = model.properties.map((property): [string, Schema] => {
    const standard = keyDefault(short, property);
    return [
      property.name,
      {
        ...propertySchema(property, short, definitionNames),
        ...(standard !== undefined && { default: standard }),
        ...mergeKeywords(PROPERTY_SEMANTICS[short]?.[property.name]),
      },
    ];
  });
  return {
    type: 'object',
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: required.sort() }),
    ...(ATOMIC_OBJECTS.has(short) && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

/**
 * The value of a key field that an item omits: its default, or its zero value if Go's type can't omit it. An item
 * without a name then causes an error about the missing name instead of about list keys.
 */
function keyDefault(definition: string, { name, type, required }: ModelProperty): string | number | undefined {
  const declared = KEY_DEFAULTS[definition]?.[name];
  if (declared !== undefined || !required || !KEY_FIELDS.has(name)) return declared;
  return { string: '', number: 0 }[type];
}

function propertySchema(
  property: ModelProperty,
  definition: string,
  definitionNames: ReadonlyMap<string, string>,
): Schema {
  if (FREE_FORM_OBJECTS[definition]?.includes(property.name)) {
    return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' };
  }
  const isQuantity = QUANTITIES[definition]?.includes(property.name) ?? false;
  return typeSchema(property.type, property.format, isQuantity, definitionNames);
}

function typeSchema(
  type: string,
  format: string,
  isQuantity: boolean,
  definitionNames: ReadonlyMap<string, string>,
): Schema {
  const item = /^Array<(.*)>$/.exec(type)?.[1];
  if (item !== undefined) return { type: 'array', items: typeSchema(item, format, isQuantity, definitionNames) };
  const value = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (value !== undefined) {
    return { type: 'object', additionalProperties: typeSchema(value, format, isQuantity, definitionNames) };
  }
  if (isQuantity) return { $ref: QUANTITY };
  switch (type) {
    case 'string':
      return format === '' ? { type: 'string' } : { type: 'string', format };
    case 'number':
      return format === 'double' ? { type: 'number', format } : { type: 'integer', format: format || 'int64' };
    case 'boolean':
      return { type: 'boolean' };
    case 'Date':
    case 'V1MicroTime':
      return { type: 'string', format: 'date-time' };
    case 'IntOrString':
      return { 'x-kubernetes-int-or-string': true };
    case 'any':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    default: {
      const definition = definitionNames.get(type);
      if (definition === undefined) throw new Error(`no schema for the type ${type}`);
      return { $ref: definition };
    }
  }
}

function mergeKeywords(semantics: MergeSemantics | undefined): Schema {
  if (semantics === undefined) return {};
  const { listType, mapKeys, mapType, patchStrategy, patchMergeKey } = semantics;
  return {
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(mapKeys && { 'x-kubernetes-list-map-keys': mapKeys }),
    ...(mapType && { 'x-kubernetes-map-type': mapType }),
    ...(patchStrategy && { 'x-kubernetes-patch-strategy': patchStrategy }),
    ...(patchMergeKey && { 'x-kubernetes-patch-merge-key': patchMergeKey }),
  };
}

function toDescriptions(model: Model): Record<string, string> {
  const described = model.properties.filter((property) => property.description !== '');
  return {
    '': model.description,
    ...Object.fromEntries(described.map((property): [string, string] => [property.name, property.description])),
  };
}

function sortedRecord<T>(entries: [string, T][]): Record<string, T> {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes one definition per line, so that the file is compact and a diff shows which kind changed. */
function formatDefinitions(definitions: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(definitions).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

const PACKAGES_FOLDER = join(import.meta.dirname, '..', 'packages');
const TYPES_FOLDER = join(PACKAGES_FOLDER, 'kube', 'src', 'kinds', 'generated');
const SCHEMAS_FOLDER = join(PACKAGES_FOLDER, 'apiserver', 'src', 'kinds', 'generated');

/** The generated files: path → text. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const { schemas, descriptions, types } = generateKinds();
  return {
    [join(SCHEMAS_FOLDER, 'schemas.json')]: formatDefinitions(schemas),
    [join(SCHEMAS_FOLDER, 'descriptions.json')]: formatDefinitions(descriptions),
    [join(TYPES_FOLDER, 'types.ts')]: types,
  };
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(generatedFiles())) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
