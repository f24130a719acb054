import { canonicalJson, isJsonObject, type JsonObject } from '@fairway/kube/object/json';
import type { Definitions } from '../schema/schema.ts';
import { keyDefaults, type Shape } from '../schema/shape.ts';

/** Thrown for a list whose items cannot be told apart; the message is structured-merge-diff's. */
export class ListItemError extends Error {
  override readonly name = 'ListItemError';
}

type ListShape = Shape & { readonly kind: 'set' | 'list-map' };

/** The path element of an item within its list: `k:{"name":"a"}` or `v:"x"`. Throws a ListItemError. */
export function itemElement(shape: ListShape, item: unknown, definitions: Definitions): string {
  if (shape.kind === 'set') return `v:${setValue(item)}`;
  if (item === null) throw new ListItemError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new ListItemError('associative list with keys may not have non-map elements');
  const element = keyElement(shape, item, definitions);
  if (element !== undefined) return element;
  const keys = `[${shape.keys.map((key) => JSON.stringify(key)).join(' ')}]`;
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
  );
}

/** `k:{"containerPort":80,"protocol":"TCP"}`: the keys of an item, including defaults; undefined if it has none. */
export function keyElement(
  shape: ListShape & { readonly kind: 'list-map' },
  item: JsonObject,
  definitions: Definitions,
): string | undefined {
  const parts: string[] = [];
  for (const key of shape.keys) {
    const own = Object.hasOwn(item, key) ? item[key] : undefined;
    const value = own === undefined ? keyDefaults(shape, definitions).get(key) : own;
    if (value !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(value)}`);
  }
  return parts.length === 0 ? undefined : `k:{${parts.join(',')}}`;
}

function setValue(item: unknown): string {
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (isJsonObject(item)) throw new ListItemError("associative list without keys has an element that's a map type");
  return JSON.stringify(item);
}

/** The elements of all items; undefined if an item has no element. */
export function itemElements(
  shape: ListShape,
  items: readonly unknown[],
  definitions: Definitions,
): string[] | undefined {
  try {
    return items.map((item) => itemElement(shape, item, definitions));
  } catch (error) {
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
}
