import { canonicalJson, isJsonArray, isJsonObject, setOwn } from '@fairway/kube/object/json';
import { resolveSchema } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';

/** Duplicate items of a set or list-map: position, and value or keys. */
export function duplicateItems(
  items: readonly unknown[],
  schema: Schema,
  definitions: Definitions,
): { readonly position: number; readonly value: unknown }[] {
  const type = schema['x-kubernetes-list-type'];
  if (items.length < 2 || (type !== 'set' && type !== 'map')) return [];
  const times = new Map<string, number>();
  const duplicates: { position: number; value: unknown }[] = [];
  for (const [position, item] of items.entries()) {
    const value = type === 'set' ? item : itemKeys(item, schema, definitions);
    const identity = canonicalJson(value);
    const seen = times.get(identity) ?? 0;
    if (seen === 1) duplicates.push({ position, value });
    times.set(identity, seen + 1);
  }
  return duplicates;
}

/** The key fields of an item of a list-map, including defaults; null if it is not an object. */
export function itemKeys(item: unknown, list: Schema, definitions: Definitions): Record<string, unknown> | null {
  if (!isJsonObject(item)) return null;
  const properties = list.items && resolveSchema(list.items, definitions).properties;
  const keys: Record<string, unknown> = {};
  for (const key of list['x-kubernetes-list-map-keys'] ?? []) {
    const own = Object.hasOwn(item, key) ? item[key] : undefined;
    const value = own ?? (properties && Object.hasOwn(properties, key) ? properties[key]?.default : undefined);
    if (value !== undefined) setOwn(keys, key, value);
  }
  return keys;
}

/**
 * The items of a stored list by their keys. Only items of list-maps can be matched with new items; items of sets and
 * atomic lists have no old value.
 */
export function itemsByKey(old: unknown, list: Schema, definitions: Definitions): Map<string, unknown> | undefined {
  if (list['x-kubernetes-list-type'] !== 'map' || !isJsonArray(old)) return undefined;
  return new Map(old.map((item) => [canonicalJson(itemKeys(item, list, definitions)), item]));
}
