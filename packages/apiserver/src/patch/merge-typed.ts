import { badRequest } from '@fairway/kube/object/api-error';
import { isJsonArray, isJsonObject, type JsonObject, setOwn } from '@fairway/kube/object/json';
import type { Json } from '@fairway/kube/object/meta';
import type { Definitions, Schema } from '../schema/schema.ts';
import { type Shape, shapeOf } from '../schema/shape.ts';
import { isListShape, isMapShape, isNamedField, memberSchema } from './compare.ts';
import { type FieldSet, fieldNode, formatElement, hasChildren, isMember } from './field-set.ts';
import { itemElement, itemElements, ListItemError } from './path-element.ts';

type ListShape = Shape & { readonly kind: 'set' | 'list-map' };

/**
 * Merges an applied configuration into the live value: members and items that only one of them has are kept, and atomic
 * values come from the configuration. Lists use the configuration's order; other live items keep their position
 * relative to their neighbours. Throws BadRequest for a configuration whose list items cannot be told apart.
 */
export function mergeTyped(
  schema: Schema | undefined,
  live: Json,
  applied: Json,
  definitions: Definitions,
  path = '',
): Json {
  const shape = shapeOf(schema, definitions);
  if (isMapShape(shape) && isJsonObject(live)) {
    if (isJsonObject(applied)) return mergeMaps(shape, live, applied, definitions, path);
    if (applied === null && Object.keys(live).length > 0) return live;
  }
  if (isListShape(shape) && isJsonArray(live)) {
    if (isJsonArray(applied)) return mergeLists(shape, live, applied, definitions, path);
    if (applied === null && live.length > 0) return live;
  }
  return applied;
}

function mergeMaps(
  shape: Shape,
  live: JsonObject,
  applied: JsonObject,
  definitions: Definitions,
  path: string,
): JsonObject {
  const merged: Record<string, Json> = { ...live };
  for (const name in applied) {
    const value = applied[name];
    if (value === undefined) continue;
    const previous = Object.hasOwn(live, name) ? live[name] : undefined;
    const schema = memberSchema(shape, name);
    setOwn(
      merged,
      name,
      previous === undefined ? value : mergeTyped(schema, previous, value, definitions, `${path}.${name}`),
    );
  }
  return merged;
}

function mergeLists(
  shape: ListShape,
  live: readonly Json[],
  applied: readonly Json[],
  definitions: Definitions,
  path: string,
): readonly Json[] {
  const liveElements = itemElements(shape, live, definitions);
  if (liveElements === undefined) return applied;
  const appliedElements = uniqueElements(shape, applied, definitions, path);
  const liveIndexes = new Map(liveElements.map((element, index) => [element, index]));
  const repeated = new Set(liveElements.filter((element, index) => liveIndexes.get(element) !== index));
  const named = new Set(appliedElements);
  const merged: Json[] = [];
  let next = 0;
  const keepLiveItemsBefore = (stop: string | undefined) => {
    for (; next < live.length && liveElements[next] !== stop; next++) {
      if (!named.has(liveElements[next] ?? '')) merged.push(live[next] as Json);
    }
  };
  // For each applied item, the first item at or after its position that is also in the live list.
  const stops: (string | undefined)[] = [];
  for (let index = appliedElements.length - 1, stop: string | undefined; index >= 0; index--) {
    const element = appliedElements[index] as string;
    if (liveIndexes.has(element)) stop = element;
    stops[index] = stop;
  }
  for (const [index, element] of appliedElements.entries()) {
    keepLiveItemsBefore(stops[index]);
    const item = applied[index] as Json;
    // Duplicate items are replaced by the applied one.
    const at = repeated.has(element) ? undefined : liveIndexes.get(element);
    if (at === next) next++;
    merged.push(
      at === undefined
        ? item
        : mergeTyped(shape.items, live[at] as Json, item, definitions, path + formatElement(element)),
    );
  }
  keepLiveItemsBefore(undefined);
  return merged;
}

function uniqueElements(shape: ListShape, items: readonly Json[], definitions: Definitions, path: string): string[] {
  const seen = new Set<string>();
  return items.map((item, index) => {
    let element: string;
    try {
      element = itemElement(shape, item, definitions);
    } catch (error) {
      if (error instanceof ListItemError) throw badRequest(`${path}: element ${index}: ${error.message}`);
      throw error;
    }
    if (seen.has(element)) throw badRequest(`${path}: duplicate entries for key ${formatElement(element)}`);
    seen.add(element);
    return element;
  });
}

/** Checks that the items of every list of a configuration can be told apart. Throws BadRequest. */
export function checkListItems(schema: Schema | undefined, value: Json, definitions: Definitions, path = ''): void {
  const shape = shapeOf(schema, definitions);
  if (isMapShape(shape) && isJsonObject(value)) {
    for (const name in value) {
      checkListItems(memberSchema(shape, name), value[name] ?? null, definitions, `${path}.${name}`);
    }
  } else if (isListShape(shape) && isJsonArray(value)) {
    const elements = uniqueElements(shape, value, definitions, path);
    for (const [index, item] of value.entries()) {
      checkListItems(shape.items, item, definitions, path + formatElement(elements[index] ?? ''));
    }
  }
}

/**
 * The value without the members of `set`; undefined if nothing is left. A map member that has lost all its content is
 * removed too, or becomes `emptied`.
 */
export function removeFields(
  schema: Schema | undefined,
  value: Json,
  set: FieldSet,
  definitions: Definitions,
  emptied?: null,
): Json | undefined {
  const shape = shapeOf(schema, definitions);
  if (isMapShape(shape) && isJsonObject(value)) {
    const rest: Record<string, Json> = {};
    let size = 0;
    for (const name in value) {
      const node = set[`f:${name}`];
      const kept = removePart(memberSchema(shape, name), value[name] ?? null, node, definitions, emptied);
      if (kept === undefined) continue;
      setOwn(rest, name, kept);
      size++;
    }
    return size === 0 ? undefined : rest;
  }
  if (isListShape(shape) && isJsonArray(value)) {
    const elements = itemElements(shape, value, definitions);
    if (elements === undefined) return value;
    const rest = value.flatMap((item, index) => {
      const kept = removePart(shape.items, item, set[elements[index] ?? ''], definitions, emptied);
      return kept === undefined ? [] : [kept];
    });
    return rest.length === 0 ? undefined : rest;
  }
  return value;
}

function removePart(
  schema: Schema | undefined,
  value: Json,
  node: FieldSet | undefined,
  definitions: Definitions,
  emptied: null | undefined,
): Json | undefined {
  if (node === undefined) return value;
  if (isMember(node)) return undefined;
  return hasChildren(node) ? (removeFields(schema, value, node, definitions, emptied) ?? emptied) : value;
}

/**
 * The set, with those parent fields of its members that the schema declares: an owner of `spec.a.b` also prevents the
 * removal of `spec.a` (structured-merge-diff's `EnsureNamedFieldsAreMembers`).
 */
export function withNamedParents(schema: Schema | undefined, set: FieldSet, definitions: Definitions): FieldSet {
  const shape = shapeOf(schema, definitions);
  const result: Record<string, FieldSet> = {};
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element] as FieldSet;
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const child = name === undefined ? (isListShape(shape) ? shape.items : undefined) : memberSchema(shape, name);
    const isNamed = name !== undefined && isNamedField(shape, name);
    const children = hasChildren(node) ? withNamedParents(child, node, definitions) : undefined;
    const completed = fieldNode(isMember(node) || isNamed, children);
    if (completed !== undefined) result[element] = completed;
  }
  return result;
}
