import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Definitions, Schema } from '../schema/schema.ts';

const GENERATED_FOLDER = join(import.meta.dirname, 'generated');

let definitions: Definitions | undefined;

/**
 * The OpenAPI definitions of the built-in kinds, without descriptions. They are read on first use and shared by all
 * servers in a process.
 */
export function builtinDefinitions(): Definitions {
  definitions ??= new Map(Object.entries(readGenerated<Schema>('schemas.json')).map(matchGoDecoding));
  return definitions;
}

/**
 * Fields that are documented as required, but that Go's types can omit: Go clients send null for an unset time. The
 * conditions of CustomResourceDefinitions are not validated.
 */
const OMITTED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition': ['lastTransitionTime'],
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition': ['status', 'type'],
};

function matchGoDecoding([name, schema]: [string, Schema]): [string, Schema] {
  const fields = OMITTED_FIELDS[name];
  if (fields === undefined || schema.required === undefined) return [name, schema];
  return [name, { ...schema, required: schema.required.filter((field) => !fields.includes(field)) }];
}

/**
 * The same definitions with upstream's descriptions, for OpenAPI. They take half a megabyte and are read on each call:
 * a caller that needs only an excerpt must not keep them.
 */
export function documentedDefinitions(): Definitions {
  const descriptions = readGenerated<Readonly<Record<string, string>>>('descriptions.json');
  const described = new Map<string, Schema>();
  for (const [name, schema] of Object.entries(readGenerated<Schema>('schemas.json'))) {
    described.set(name, describe(schema, descriptions[name] ?? {}));
  }
  return described;
}

function describe(schema: Schema, descriptions: Readonly<Record<string, string>>): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]): [string, Schema] => {
    const description = descriptions[name];
    return [name, description === undefined ? property : { description, ...property }];
  });
  return {
    ...(descriptions[''] && { description: descriptions[''] }),
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
  };
}

function readGenerated<T>(name: string): Record<string, T> {
  return JSON.parse(readFileSync(join(GENERATED_FOLDER, name), 'utf8')) as Record<string, T>;
}
