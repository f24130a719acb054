import { isJsonArray, isJsonObject, type JsonObject, jsonEqual } from '@fairway/kube/object/json';
import type { Json } from '@fairway/kube/object/meta';
import { propertySchema } from '../schema/resolve.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import { type Shape, shapeOf } from '../schema/shape.ts';
import { type FieldSet, fieldNode, hasChildren, MEMBER, SELF } from './field-set.ts';
import { itemElements } from './path-element.ts';

/** The field changes between two states of an object; undefined for an empty set. */
export interface Difference {
  /** Fields that are new or have a different value. */
  readonly changed: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

const LEAF_CHANGED: Difference = { changed: MEMBER, removed: undefined };

/** Compares two values with the same schema; undefined if they are equal. */
export function compareTyped(
  schema: Schema | undefined,
  left: Json,
  right: Json,
  definitions: Definitions,
): Difference | undefined {
  if (left === right) return undefined;
  if (!isContainer(left) && !isContainer(right)) return LEAF_CHANGED;
  const shape = shapeOf(schema, definitions);
  if (isMapShape(shape) && isJsonObject(left) && isJsonObject(right)) {
    return compareMaps(shape, left, right, definitions);
  }
  if (isListShape(shape) && isJsonArray(left) && isJsonArray(right)) {
    return compareLists(shape, left, right, definitions);
  }
  if (jsonEqual(left, right)) return undefined;
  const { '.': _, ...removed } = wholeSet(schema, left, definitions);
  return { changed: wholeSet(schema, right, definitions), removed: hasChildren(removed) ? removed : undefined };
}

/** Every path of a value, including itself, in the order of `sortedSet`: the paths added or removed together with it. */
export function wholeSet(schema: Schema | undefined, value: Json, definitions: Definitions): FieldSet {
  const shape = shapeOf(schema, definitions);
  let node: Record<string, FieldSet> | undefined;
  if (isMapShape(shape) && isJsonObject(value)) {
    for (const name of Object.keys(value).sort()) {
      const member = value[name];
      if (member === undefined) continue;
      node ??= { [SELF]: MEMBER };
      node[`f:${name}`] = wholeSet(memberSchema(shape, name), member, definitions);
    }
  } else if (isListShape(shape) && isJsonArray(value)) {
    const elements = itemElements(shape, value, definitions)?.map((element, index) => ({ element, index }));
    for (const { element, index } of elements?.sort(compareElements) ?? []) {
      node ??= { [SELF]: MEMBER };
      const isRepeated = element in node;
      node[element] = isRepeated ? MEMBER : wholeSet(shape.items, value[index] as Json, definitions);
    }
  }
  return node ?? MEMBER;
}

function compareElements(left: { readonly element: string }, right: { readonly element: string }): number {
  if (left.element === right.element) return 0;
  return left.element < right.element ? -1 : 1;
}

/**
 * The fields that an applied configuration owns: leaves, list items, members of maps, but not intermediate fields
 * (structured-merge-diff's `ToFieldSet`).
 */
export function claimedSet(schema: Schema | undefined, value: Json, definitions: Definitions): FieldSet | undefined {
  const shape = shapeOf(schema, definitions);
  const children: Record<string, FieldSet> = {};
  if (isMapShape(shape) && isJsonObject(value)) {
    for (const name in value) {
      const member = value[name];
      if (member === undefined) continue;
      const isClaimed = !isNamedField(shape, name) || member === null || isEmptyObject(member);
      const claimed = claimedSet(memberSchema(shape, name), member, definitions);
      const node = claimed === MEMBER ? MEMBER : fieldNode(isClaimed, claimed);
      if (node !== undefined) children[`f:${name}`] = node;
    }
    return hasChildren(children) ? children : undefined;
  }
  if (isListShape(shape) && isJsonArray(value)) {
    const elements = itemElements(shape, value, definitions);
    if (elements === undefined) return MEMBER;
    for (const [index, element] of elements.entries()) {
      const claimed = claimedSet(shape.items, value[index] as Json, definitions);
      children[element] = claimed === undefined || claimed === MEMBER ? MEMBER : (fieldNode(true, claimed) as FieldSet);
    }
    return hasChildren(children) ? children : undefined;
  }
  return MEMBER;
}

/** Whether `name` is a field that the schema lists, not a key of a map. */
export function isNamedField(shape: Shape, name: string): boolean {
  return shape.kind === 'map' && shape.schema.properties !== undefined && Object.hasOwn(shape.schema.properties, name);
}

/** The schema for a member of a value with this shape. */
export function memberSchema(shape: Shape, name: string): Schema | undefined {
  return shape.kind === 'map' ? propertySchema(shape.schema, name) : undefined;
}

type MapShape = Shape & { readonly kind: 'map' | 'deduced' };
type ListShape = Shape & { readonly kind: 'set' | 'list-map' };

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

export function isMapShape(shape: Shape): shape is MapShape {
  return shape.kind === 'map' || shape.kind === 'deduced';
}

export function isListShape(shape: Shape): shape is ListShape {
  return shape.kind === 'set' || shape.kind === 'list-map';
}

function isEmptyObject(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Collects the differences between the parts of a map or list. */
class Differences {
  #changed: Record<string, FieldSet> | undefined;
  #removed: Record<string, FieldSet> | undefined;

  changed(element: string, set: FieldSet): void {
    this.#changed ??= {};
    this.#changed[element] = set;
  }

  removed(element: string, set: FieldSet): void {
    this.#removed ??= {};
    this.#removed[element] = set;
  }

  add(element: string, { changed, removed }: Difference): void {
    if (changed !== undefined) this.changed(element, changed);
    if (removed !== undefined) this.removed(element, removed);
  }

  result(): Difference | undefined {
    if (this.#changed === undefined && this.#removed === undefined) return undefined;
    return { changed: this.#changed, removed: this.#removed };
  }
}

function compareMaps(
  shape: MapShape,
  left: JsonObject,
  right: JsonObject,
  definitions: Definitions,
): Difference | undefined {
  let differences: Differences | undefined;
  for (const name in right) {
    const next = right[name];
    const previous = Object.hasOwn(left, name) ? left[name] : undefined;
    if (previous === next || next === undefined) continue;
    const schema = memberSchema(shape, name);
    if (previous === undefined) {
      differences ??= new Differences();
      differences.changed(`f:${name}`, wholeSet(schema, next, definitions));
      continue;
    }
    const difference = compareTyped(schema, previous, next, definitions);
    if (difference === undefined) continue;
    differences ??= new Differences();
    differences.add(`f:${name}`, difference);
  }
  for (const name in left) {
    const previous = left[name];
    if (previous === undefined || (Object.hasOwn(right, name) && right[name] !== undefined)) continue;
    differences ??= new Differences();
    differences.removed(`f:${name}`, wholeSet(memberSchema(shape, name), previous, definitions));
  }
  return differences?.result();
}

function compareLists(
  shape: ListShape,
  left: readonly Json[],
  right: readonly Json[],
  definitions: Definitions,
): Difference | undefined {
  if (jsonEqual(left, right)) return undefined;
  const previousItems = groupItems(shape, left, definitions);
  const after = groupItems(shape, right, definitions);
  // Items without keys cannot be owned individually: the list changed as a whole.
  if (previousItems === undefined || after === undefined) return LEAF_CHANGED;
  const differences = new Differences();
  for (const [element, items] of after) {
    const previous = previousItems.get(element);
    const [item] = items;
    if (previous === undefined) {
      differences.changed(element, items.length > 1 ? MEMBER : wholeSet(shape.items, item as Json, definitions));
    } else if (items.length === 1 && previous.length === 1) {
      const difference = compareTyped(shape.items, previous[0] as Json, item as Json, definitions);
      if (difference !== undefined) differences.add(element, difference);
    } else if (!jsonEqual(items, previous)) {
      // Repeated items are owned together.
      differences.changed(element, items.length > 1 ? MEMBER : wholeSet(shape.items, item as Json, definitions));
    }
  }
  for (const [element, items] of previousItems) {
    if (after.has(element)) continue;
    differences.removed(element, items.length > 1 ? MEMBER : wholeSet(shape.items, items[0] as Json, definitions));
  }
  return differences.result();
}

function groupItems(
  shape: ListShape,
  items: readonly Json[],
  definitions: Definitions,
): Map<string, Json[]> | undefined {
  const elements = itemElements(shape, items, definitions);
  if (elements === undefined) return undefined;
  const groups = new Map<string, Json[]>();
  for (const [index, element] of elements.entries()) {
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [items[index] as Json]);
    else group.push(items[index] as Json);
  }
  return groups;
}
