import type { Schema } from '../schema/schema.ts';
import { applyPatch } from './apply.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

interface WithList {
  readonly spec: { readonly list: readonly unknown[] };
}

function kindWithList(list: Schema): Schema {
  return { type: 'object', properties: { spec: { type: 'object', properties: { list } } } };
}

function strategicMergeCost(list: Schema, previous: readonly unknown[], patch: object): number {
  const merge = { schema: kindWithList(list), definitions: new Map<string, Schema>() };
  const target = { metadata: {}, spec: { list: previous } };
  return (applyStrategicMergePatch(merge, target, { spec: patch }) as unknown as WithList).spec.list.length;
}

function names(count: number, prefix = 'name'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** Number of items after a strategic patch of every item of a list. */
export function mergeByKey(count: number): number {
  const list: Schema = {
    type: 'array',
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': 'name',
    items: { type: 'object' },
  };
  const previous = names(count).map((name) => ({ name }));
  return strategicMergeCost(list, previous, { list: previous.map((item) => ({ ...item, x: 1 })) });
}

/** Number of items after a strategic patch that deletes the same number of values, none of which exists. */
export function deleteFromPrimitiveList(count: number): number {
  const list: Schema = { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'string' } };
  return strategicMergeCost(list, names(count), { '$deleteFromPrimitiveList/list': names(count, 'other') });
}

/** Number of items after an apply of the same number of different items. */
export function applyToSet(count: number): number {
  const schema = kindWithList({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } });
  const object = (prefix: string) => ({
    apiVersion: 'v1',
    kind: 'Pool',
    metadata: {},
    spec: { list: names(count, prefix) },
  });
  const applied = applyPatch({
    schema,
    definitions: new Map(),
    live: object('live'),
    applied: object('applied'),
    manager: 'm',
    force: false,
    apiVersion: 'v1',
    subresource: '',
    nowMs: 0,
  });
  return (applied as unknown as WithList).spec.list.length;
}

/** Number of items after a JSON patch that repeatedly inserts an item before all others. */
export function insertFirst(count: number, times: number): number {
  const operations = Array.from({ length: times }, () => ({ op: 'add', path: '/list/0', value: 0 }));
  const target = { list: Array<number>(count).fill(0) };
  return (applyJsonPatch(target, operations) as { list: unknown[] }).list.length;
}
