import type { Json } from '@fairway/kube/object/meta';
import { propertySchema, resolveSchema } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';

/**
 * How server-side apply treats values of a schema (structured-merge-diff's atom): atomic or granular. A map or list
 * shape applies only to values of that JSON type; any other value is owned as a whole.
 */
export type Shape =
  | { readonly kind: 'leaf' }
  /** Members are owned individually; `schema` contains their types. */
  | { readonly kind: 'map'; readonly schema: Schema }
  /** Items are owned by value. */
  | { readonly kind: 'set'; readonly items: Schema }
  /** Items are owned by the values of their key fields. */
  | { readonly kind: 'list-map'; readonly items: Schema; readonly keys: readonly string[] }
  /** Unknown: objects are owned by member, other values as a whole. */
  | { readonly kind: 'deduced' };

const LEAF_SHAPE: Shape = { kind: 'leaf' };
const DEDUCED_SHAPE: Shape = { kind: 'deduced' };
const shapes = new WeakMap<Schema, Shape>();

/** The shape of a schema. Undefined, for a field without a schema, means that the shape is derived from the values. */
export function shapeOf(schema: Schema | undefined, definitions: Definitions): Shape {
  if (schema === undefined) return DEDUCED_SHAPE;
  const resolved = resolveSchema(schema, definitions);
  let shape = shapes.get(resolved);
  if (shape === undefined) {
    shape = makeShape(resolved);
    shapes.set(resolved, shape);
  }
  return shape;
}

/** Defaults of the items' keys, such as TCP for the protocol of a port. Keys without a default are omitted. */
export function keyDefaults(shape: Shape & { kind: 'list-map' }, definitions: Definitions): ReadonlyMap<string, Json> {
  let defaults = keyDefaultsCache.get(shape);
  if (defaults === undefined) {
    const items = resolveSchema(shape.items, definitions);
    defaults = new Map(
      shape.keys.flatMap((key): [string, Json][] => {
        const declared = propertySchema(items, key);
        const standard = declared && (declared.default ?? resolveSchema(declared, definitions).default);
        return standard === undefined ? [] : [[key, standard]];
      }),
    );
    keyDefaultsCache.set(shape, defaults);
  }
  return defaults;
}

const keyDefaultsCache = new WeakMap<Shape, ReadonlyMap<string, Json>>();

function makeShape(schema: Schema): Shape {
  if (schema['x-kubernetes-int-or-string']) return LEAF_SHAPE;
  if (schema.type === 'array') return listShape(schema);
  if (schema.type === 'object' || schema.properties !== undefined) return mapShape(schema);
  return schema.type === undefined ? DEDUCED_SHAPE : LEAF_SHAPE;
}

function mapShape(schema: Schema): Shape {
  if (schema['x-kubernetes-map-type'] === 'atomic') return LEAF_SHAPE;
  return { kind: 'map', schema };
}

/** If a schema has no list type, the merge strategy of older kinds determines it (kube-openapi's schemaconv). */
function listShape(schema: Schema): Shape {
  const type = schema['x-kubernetes-list-type'];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? (mergeKey === undefined ? [] : [mergeKey]);
  const merges = type === undefined && schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true;
  if (schema.items === undefined) return LEAF_SHAPE;
  if ((type === 'map' || merges) && keys.length > 0) {
    return { kind: 'list-map', items: schema.items, keys: keys.toSorted() };
  }
  return type === 'set' || merges ? { kind: 'set', items: schema.items } : LEAF_SHAPE;
}
