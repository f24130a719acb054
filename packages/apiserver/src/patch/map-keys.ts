import { isJsonArray, isJsonObject, setOwn } from '@fairway/kube/object/json';
import type { Json, ManagedFieldsEntry } from '@fairway/kube/object/meta';
import type { Definitions, Schema } from '../schema/schema.ts';
import { keyDefaults, type Shape, shapeOf } from '../schema/shape.ts';
import { isListShape, isMapShape, memberSchema } from './compare.ts';
import { type FieldSet, isEmptySet, union } from './field-set.ts';
import { fieldsOf } from './manager.ts';
import { keyElement } from './path-element.ts';

type ListMapShape = Shape & { readonly kind: 'list-map' };

/**
 * The configuration without list-item keys that are null and have a default: once stored, null becomes the default, so
 * an item with null equals an item without the key. With `isEmptyUnset`, the same applies to "". Returns the same value
 * if there are no such keys.
 */
export function withoutUnsetKeys<T extends Json>(
  schema: Schema | undefined,
  value: T,
  definitions: Definitions,
  isEmptyUnset: boolean,
): T {
  const shape = shapeOf(schema, definitions);
  const visit = (declared: Schema | undefined, part: Json) =>
    withoutUnsetKeys(declared, part, definitions, isEmptyUnset);
  if (isMapShape(shape) && isJsonObject(value)) {
    let result: Record<string, Json> | undefined;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'object' || member === null) continue;
      const kept = visit(memberSchema(shape, name), member);
      if (kept === member) continue;
      result ??= { ...value };
      setOwn(result, name, kept);
    }
    return (result ?? value) as T;
  }
  if (shape.kind !== 'list-map' || !isJsonArray(value)) return value;
  const defaults = keyDefaults(shape, definitions);
  const isUnset = ([name, key]: [string, Json]) =>
    (key === null || (key === '' && isEmptyUnset)) && shape.keys.includes(name) && defaults.has(name);
  let isChanged = false;
  const items = value.map((item) => {
    const entries = isJsonObject(item) && defaults.size > 0 ? Object.entries(item) : [];
    const withoutUnset = entries.some(isUnset) ? Object.fromEntries(entries.filter((entry) => !isUnset(entry))) : item;
    const kept = visit(shape.items, withoutUnset);
    isChanged ||= kept !== item;
    return kept;
  });
  return isChanged ? (items as Json as T) : value;
}

/**
 * The entry with all defaulted keys in the paths of its list items. Otherwise an element such as
 * `k:{"containerPort":80}`, written before the key `protocol` had a default, would no longer match an item, and its
 * fields would never be removed.
 */
export function withKeyDefaults(
  entry: ManagedFieldsEntry,
  schema: Schema | undefined,
  definitions: Definitions,
): ManagedFieldsEntry {
  const fields = fieldsOf(entry);
  const completed = completePaths(fields, schema, definitions);
  return completed === fields ? entry : { ...entry, fieldsV1: completed };
}

function completePaths(set: FieldSet, schema: Schema | undefined, definitions: Definitions): FieldSet {
  const shape = shapeOf(schema, definitions);
  let result = set;
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element] as FieldSet;
    const child = childSchema(shape, element);
    const children = child === undefined || isEmptySet(node) ? node : completePaths(node, child, definitions);
    const name = shape.kind === 'list-map' ? completeElement(shape, element, definitions) : element;
    if (name === element && children === node) continue;
    if (result === set) result = { ...set };
    const changed = result as Record<string, FieldSet>;
    delete changed[element];
    setOwn(changed, name, name !== element && changed[name] ? merged(changed[name], children) : children);
  }
  return result;
}

function merged(left: FieldSet, right: FieldSet): FieldSet {
  return union({ x: left }, { x: right })['x'] as FieldSet;
}

function childSchema(shape: Shape, element: string): Schema | undefined {
  if (element.startsWith('f:')) return memberSchema(shape, element.slice(2));
  return isListShape(shape) ? shape.items : undefined;
}

function completeElement(shape: ListMapShape, element: string, definitions: Definitions): string {
  if (!element.startsWith('k:') || keyDefaults(shape, definitions).size === 0) return element;
  const keys = parseKeys(element.slice(2));
  return keys === undefined ? element : (keyElement(shape, keys, definitions) ?? element);
}

function parseKeys(text: string): Readonly<Record<string, Json>> | undefined {
  try {
    const keys: unknown = JSON.parse(text);
    return isJsonObject(keys) ? keys : undefined;
  } catch {
    return undefined;
  }
}
