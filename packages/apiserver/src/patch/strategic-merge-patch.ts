import { badRequest } from '@fairway/kube/object/api-error';
import { canonicalJson, isJsonArray, isJsonObject, type JsonObject, setOwn } from '@fairway/kube/object/json';
import type { Json, KubeObject } from '@fairway/kube/object/meta';
import { objectSchemaOf, propertySchema, resolveSchema } from '../schema/resolve.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import { orderMergedList } from './element-order.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';

export interface StrategicMerge {
  readonly schema: Schema;
  readonly definitions: Definitions;
}

/**
 * Applies a strategic merge patch: like a merge patch, but lists with a merge strategy are merged by key or value, and directives
 * (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`) express what a merge cannot. The inputs are not changed. Throws
 * BadRequest for invalid directives or lists.
 */
export function applyStrategicMergePatch(merge: StrategicMerge, target: KubeObject, patch: unknown): KubeObject {
  if (!isJsonObject(patch)) throw badRequest('a strategic merge patch must be an object');
  const schema = objectSchemaOf(merge.schema, merge.definitions);
  const merged = mergeMaps(schema, target as unknown as JsonObject, patch, merge.definitions);
  return merged as unknown as KubeObject;
}

function mergeMaps(
  schema: Schema | undefined,
  target: JsonObject,
  patch: JsonObject,
  definitions: Definitions,
): JsonObject {
  const directive = patch[PATCH];
  if (directive === 'replace') return withoutDirective(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') throw unknownDirective(directive);

  const result: Record<string, Json> = retainKeys(target, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key === PATCH || key === RETAIN_KEYS || key.startsWith(SET_ORDER)) continue;
    if (key.startsWith(DELETE_FROM_LIST)) {
      deleteFromList(result, key.slice(DELETE_FROM_LIST.length), value);
      continue;
    }
    const field = fieldOf(schema, key, definitions);
    const previous = Object.hasOwn(result, key) ? result[key] : undefined;
    const merged = mergeField(field, previous, value, patch[SET_ORDER + key], definitions);
    if (merged === undefined) delete result[key];
    else setOwn(result, key, merged);
  }
  for (const [key, order] of Object.entries(patch)) {
    const name = key.startsWith(SET_ORDER) ? key.slice(SET_ORDER.length) : undefined;
    if (name === undefined || Object.hasOwn(patch, name)) continue;
    const list = result[name];
    const { mergeKey } = fieldOf(schema, name, definitions);
    if (isJsonArray(list) && isJsonArray(order)) result[name] = orderMergedList(list, list, order, mergeKey);
  }
  return result;
}

interface Field {
  /** Schema of the value; undefined if unknown. */
  readonly schema: Schema | undefined;
  readonly strategies: readonly string[];
  readonly mergeKey: string | undefined;
}

function fieldOf(schema: Schema | undefined, name: string, definitions: Definitions): Field {
  const declared = schema && propertySchema(schema, name);
  if (declared === undefined) return { schema: undefined, strategies: [], mergeKey: undefined };
  const resolved = resolveSchema(declared, definitions);
  const strategy = declared['x-kubernetes-patch-strategy'] ?? resolved['x-kubernetes-patch-strategy'];
  const mergeKey = declared['x-kubernetes-patch-merge-key'] ?? resolved['x-kubernetes-patch-merge-key'];
  return { schema: resolved, strategies: strategy?.split(',') ?? [], mergeKey };
}

/** The field's updated value; undefined if the patch deletes it. */
function mergeField(
  field: Field,
  previous: Json | undefined,
  patch: Json,
  order: Json | undefined,
  definitions: Definitions,
): Json | undefined {
  if (patch === null) return undefined;
  const isReplaced = field.strategies.includes('replace');
  if (isJsonObject(patch)) {
    if (isReplaced) return withoutDirective(patch);
    return mergeMaps(field.schema, isJsonObject(previous) ? previous : {}, patch, definitions);
  }
  if (isJsonArray(patch) && field.strategies.includes('merge')) {
    return mergeLists(field, isJsonArray(previous) ? previous : [], patch, order, definitions);
  }
  return patch;
}

function retainKeys(target: JsonObject, patch: JsonObject): Record<string, Json> {
  const retained = patch[RETAIN_KEYS];
  if (retained === undefined) return { ...target };
  if (!isJsonArray(retained)) throw badRequest('invalid patch format of retainKeys');
  const names = new Set(retained);
  for (const key of Object.keys(patch)) {
    const isDirective = key.startsWith('$');
    if (!isDirective && patch[key] !== null && !names.has(key)) {
      throw badRequest(
        'the patch is not a valid retainKeys patch: it sets a field that the retainKeys list leaves out',
      );
    }
  }
  return Object.fromEntries(Object.entries(target).filter(([key]) => names.has(key)));
}

function deleteFromList(result: Record<string, Json>, name: string, values: Json): void {
  if (!isJsonArray(values)) throw badRequest('invalid patch format of primitive list');
  const list = result[name];
  if (!isJsonArray(list)) return;
  const removedValues = new Set(values.map(canonicalJson));
  result[name] = list.filter((item) => !removedValues.has(canonicalJson(item)));
}

function mergeLists(
  field: Field,
  previous: readonly Json[],
  patch: readonly Json[],
  order: Json | undefined,
  definitions: Definitions,
): readonly Json[] {
  const { schema, mergeKey } = field;
  const items = schema?.items && resolveSchema(schema.items, definitions);
  const merged =
    items?.type === 'object' || patch.some(isJsonObject)
      ? mergeObjects(items, previous, patch, mergeKey, definitions)
      : [...new Set([...previous, ...patch])];
  if (order === undefined) return orderMergedList(merged, previous, patch, mergeKey);
  if (!isJsonArray(order)) throw badRequest('invalid patch format of setElementOrder list');
  return orderMergedList(merged, previous, order, mergeKey);
}

function mergeObjects(
  items: Schema | undefined,
  previous: readonly Json[],
  patch: readonly Json[],
  mergeKey: string | undefined,
  definitions: Definitions,
): readonly Json[] {
  if (mergeKey === undefined) throw badRequest('cannot merge lists of objects without a merge key');
  const additions: JsonObject[] = [];
  const deleted = new Set<string>();
  let isReplaced = false;
  for (const item of patch) {
    if (!isJsonObject(item)) throw badRequest('cannot merge a list of objects with other values');
    const directive = item[PATCH];
    if (directive === 'replace') isReplaced = true;
    else if (directive === 'delete') deleted.add(keyOf(item, mergeKey));
    else if (directive === undefined) additions.push(item);
    else if (directive === 'merge') throw badRequest('merging lists is not supported');
    else throw unknownDirective(directive);
  }
  if (isReplaced) return additions.map(withoutDirective);
  const merged: Json[] = [];
  const indexes = new Map<string, number>();
  for (const item of previous) {
    const key = isJsonObject(item) && item[mergeKey] !== undefined ? keyOf(item, mergeKey) : undefined;
    if (key !== undefined && deleted.has(key)) continue;
    if (key !== undefined && !indexes.has(key)) indexes.set(key, merged.length);
    merged.push(item);
  }
  for (const item of additions) {
    const key = keyOf(item, mergeKey);
    const at = indexes.get(key) ?? merged.length;
    const base = merged[at];
    merged[at] = mergeMaps(items, isJsonObject(base) ? base : {}, item, definitions);
    indexes.set(key, at);
  }
  return merged;
}

/** The key of an item, as a string: equal keys yield equal strings. */
function keyOf(item: JsonObject, mergeKey: string): string {
  const key = item[mergeKey];
  if (key === undefined) {
    throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return canonicalJson(key);
}

/** The result of applying a patch to an absent value, without the patch's directives. */
function withoutDirective(patch: JsonObject): JsonObject {
  const { [PATCH]: _, ...rest } = patch;
  return rest;
}

function unknownDirective(directive: Json | undefined): Error {
  return badRequest(`unknown patch type: ${JSON.stringify(directive)}`);
}
