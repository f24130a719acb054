import { entityTooLarge } from '@fairway/kube/object/api-error';
import { cloneJson, isJsonArray, isJsonObject, setOwn } from '@fairway/kube/object/json';
import { MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import type { Json } from '@fairway/kube/object/meta';
import { objectSchemaOf, propertySchema, resolveSchema } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';

/**
 * Maximum size of all defaults added to one object: a short schema can define nine levels of lists with ten items each.
 */
const MAX_ADDED_CHARS = 3 * 1024 * 1024;

/**
 * Sets, in place, the defaults of a schema where a field is missing, or null but not nullable. A missing object is not
 * created for the defaults within it, unless it has a default itself. Throws 413 if the defaults would add more than
 * `maxAddedChars`.
 */
export function applyDefaults(
  object: object,
  schema: Schema,
  definitions: Definitions,
  maxAddedChars = MAX_ADDED_CHARS,
): void {
  setDefaults(object, objectSchemaOf(schema, definitions), { definitions, maxAddedChars, charsLeft: maxAddedChars });
}

/** Whether `applyDefaults` could add anything to an object. */
export function hasAnyDefault(schema: Schema, definitions: Definitions): boolean {
  return hasDefaults(objectSchemaOf(schema, definitions), definitions);
}

interface DefaultingState {
  readonly definitions: Definitions;
  readonly maxAddedChars: number;
  charsLeft: number;
}

function setDefaults(value: unknown, declared: Schema, defaulting: DefaultingState): void {
  const { definitions } = defaulting;
  const schema = resolveSchema(declared, definitions);
  if (!hasDefaults(schema, definitions)) return;
  if (isJsonArray(value)) {
    if (schema.items === undefined) return;
    for (const item of value) setDefaults(item, schema.items, defaulting);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const name in schema.properties) {
    const property = schema.properties[name] as Schema;
    const standard = defaultOf(property, definitions);
    if (standard !== undefined && isMissing(value, name, property, definitions)) {
      spend(defaulting, name, standard);
      setOwn(value, name, cloneJson(standard));
    }
  }
  for (const name in value) {
    const property = propertySchema(schema, name);
    if (property !== undefined) setDefaults(value[name], property, defaulting);
  }
}

function spend(defaulting: DefaultingState, name: string, standard: Json): void {
  const size = measureJson(standard, { maxDepth: MAX_DEPTH, maxChars: defaulting.charsLeft });
  if (typeof size !== 'number') {
    throw entityTooLarge(
      `the defaults of the object's schema, such as that of ${JSON.stringify(name)}, add more than ${defaulting.maxAddedChars} bytes: ` +
        'set these fields in fewer places, or change the schema',
    );
  }
  defaulting.charsLeft -= size;
}

function defaultOf(declared: Schema, definitions: Definitions): Json | undefined {
  return declared.default ?? resolveSchema(declared, definitions).default;
}

function isMissing(object: object, name: string, property: Schema, definitions: Definitions): boolean {
  if (!Object.hasOwn(object, name)) return true;
  const value = (object as Record<string, unknown>)[name];
  if (value === undefined) return true;
  return value === null && property.nullable !== true && resolveSchema(property, definitions).nullable !== true;
}

const hasDefaultsCache = new WeakMap<Schema, boolean>();

/** Whether there is any default in or below the schema. Most subtrees have none, and are not visited. */
function hasDefaults(schema: Schema, definitions: Definitions): boolean {
  const known = hasDefaultsCache.get(schema);
  if (known !== undefined) return known;
  const found = searchDefaults(schema, definitions, new Set());
  hasDefaultsCache.set(schema, found);
  return found;
}

function searchDefaults(schema: Schema, definitions: Definitions, visited: Set<Schema>): boolean {
  if (visited.has(schema)) return false;
  visited.add(schema);
  const { items, additionalProperties } = schema;
  const parts = Object.values(schema.properties ?? {});
  if (items !== undefined) parts.push(items);
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  return parts.some(
    (part) =>
      defaultOf(part, definitions) !== undefined ||
      searchDefaults(resolveSchema(part, definitions), definitions, visited),
  );
}
