import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import { childPath, indexPath } from './field-path.ts';
import { objectSchemaOf, propertySchema, resolveSchema, withObjectFields } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';

/**
 * Removes, in place, the fields of a whole object that its schema does not know, and nulls where the schema knows a field that may
 * not be null and has no default. Returns the paths of unknown fields (`spec.containers[0].foo`), which
 * `unknownFieldMessage` words as upstream for `fieldValidation=Strict` and `Warn`.
 */
export function pruneObject(object: object, schema: Schema, definitions: Definitions): string[] {
  const unknown: string[] = [];
  prune(object, objectSchemaOf(schema, definitions), definitions, '', unknown);
  return unknown;
}

export function unknownFieldMessage(path: string): string {
  return `unknown field "${path}"`;
}

const embedded = new WeakMap<Schema, Schema>();

/** The schema with the fields of every object where it describes an embedded one. */
export function withEmbeddedFields(schema: Schema): Schema {
  if (!schema['x-kubernetes-embedded-resource']) return schema;
  let whole = embedded.get(schema);
  if (whole === undefined) {
    whole = withObjectFields(schema);
    embedded.set(schema, whole);
  }
  return whole;
}

function prune(value: unknown, declared: Schema, definitions: Definitions, path: string, unknown: string[]): void {
  if (isJsonArray(value)) {
    const { items } = resolveSchema(declared, definitions);
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (isContainer(item)) prune(item, items, definitions, indexPath(path, index), unknown);
    }
    return;
  }
  if (isJsonObject(value)) {
    pruneMembers(value, withEmbeddedFields(resolveSchema(declared, definitions)), definitions, path, unknown);
  }
}

function pruneMembers(
  object: Record<string, unknown>,
  schema: Schema,
  definitions: Definitions,
  path: string,
  unknown: string[],
): void {
  const keepsUnknown = keepsUnknownFields(schema);
  for (const name in object) {
    const member = object[name];
    const declared = propertySchema(schema, name);
    if (declared === undefined) {
      if (keepsUnknown) continue;
      unknown.push(childPath(path, name));
      delete object[name];
    } else if (member === null) {
      if (!mayBeNull(declared, definitions)) delete object[name];
    } else if (isContainer(member)) {
      prune(member, declared, definitions, childPath(path, name), unknown);
    }
  }
}

function keepsUnknownFields(schema: Schema): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true) return true;
  return schema.type === undefined && schema.properties === undefined && schema.additionalProperties === undefined;
}

/** Whether null may stand there, or stands for the default. */
function mayBeNull(declared: Schema, definitions: Definitions): boolean {
  const schema = resolveSchema(declared, definitions);
  const isFree = schema.type === undefined && !schema['x-kubernetes-int-or-string'];
  return (
    isFree ||
    declared.nullable === true ||
    schema.nullable === true ||
    (declared.default ?? schema.default) !== undefined
  );
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
