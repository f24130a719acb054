import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import { childPath, indexPath } from './field-path.ts';
import { objectSchemaOf, propertySchema, resolveSchema, withObjectFields } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';

/**
 * Removes, in place, unknown fields of a whole object, and nulls of known fields that are not nullable and have no
 * default. Returns the paths of unknown fields (`spec.containers[0].foo`); `unknownFieldMessage` words them as upstream
 * for `fieldValidation=Strict` and `Warn`.
 */
export function pruneObject(
  object: object,
  schema: Schema,
  definitions: Definitions,
  itemPath: ItemPath = indexPath,
): string[] {
  const unknown: string[] = [];
  prune(object, objectSchemaOf(schema, definitions), '', { definitions, unknown, itemPath });
  return unknown;
}

/** The path of a list item. */
export type ItemPath = (parent: string, index: number, item: unknown, list: Schema) => string;

interface PruningState {
  readonly definitions: Definitions;
  readonly unknown: string[];
  readonly itemPath: ItemPath;
}

export function unknownFieldMessage(path: string): string {
  return `unknown field "${path}"`;
}

const embedded = new WeakMap<Schema, Schema>();

/** The schema with apiVersion, kind and metadata if it is an embedded resource. */
export function withEmbeddedFields(schema: Schema): Schema {
  if (!schema['x-kubernetes-embedded-resource']) return schema;
  let whole = embedded.get(schema);
  if (whole === undefined) {
    whole = withObjectFields(schema);
    embedded.set(schema, whole);
  }
  return whole;
}

function prune(value: unknown, declared: Schema, path: string, pruning: PruningState): void {
  const { definitions, itemPath } = pruning;
  if (isJsonArray(value)) {
    const schema = resolveSchema(declared, definitions);
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (isContainer(item)) prune(item, schema.items, itemPath(path, index, item, schema), pruning);
    }
    return;
  }
  if (isJsonObject(value)) pruneMembers(value, withEmbeddedFields(resolveSchema(declared, definitions)), path, pruning);
}

function pruneMembers(object: Record<string, unknown>, schema: Schema, path: string, pruning: PruningState): void {
  const keepsUnknown = keepsUnknownFields(schema);
  for (const name in object) {
    const member = object[name];
    const declared = propertySchema(schema, name);
    if (declared === undefined) {
      if (keepsUnknown) continue;
      pruning.unknown.push(childPath(path, name));
      delete object[name];
    } else if (member === null) {
      if (!mayBeNull(declared, pruning.definitions)) delete object[name];
    } else if (isContainer(member)) {
      prune(member, declared, childPath(path, name), pruning);
    }
  }
}

function keepsUnknownFields(schema: Schema): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true) return true;
  return schema.type === undefined && schema.properties === undefined && schema.additionalProperties === undefined;
}

/** Whether null is allowed or replaced by the default. */
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
