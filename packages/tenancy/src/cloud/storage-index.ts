import type { Identifiable, Snapshot } from '@fairway/openstack/cache/snapshot';
import { type StorageOwner, storageOwner } from './ownership.ts';

/** A volume or snapshot in Cinder, or a share in Manila. */
export interface Stored extends Identifiable {
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at?: string | null | undefined;
}

interface Index<T> {
  readonly byObject: ReadonlyMap<string, readonly T[]>;
  readonly byCluster: ReadonlyMap<string, readonly T[]>;
}

/** Built once per list. */
const indexes = new WeakMap<ReadonlyMap<string, Stored>, Index<Stored>>();

/** Identifies an owner in ledgers and maps. */
export function storageKey({ clusterUid, object }: StorageOwner): string {
  return `${clusterUid}/${object}`;
}

/** The volumes or snapshots of an object, oldest first; more than one after a create that was assumed lost. */
export function storageObjectsOf<T extends Stored>({ items }: Snapshot<T>, owner: StorageOwner): readonly T[] {
  return indexOf(items).byObject.get(storageKey(owner)) ?? [];
}

/** All storage objects of a cluster, oldest first. */
export function storageObjectsOfCluster<T extends Stored>({ items }: Snapshot<T>, clusterUid: string): readonly T[] {
  return indexOf(items).byCluster.get(clusterUid) ?? [];
}

function indexOf<T extends Stored>(items: ReadonlyMap<string, T>): Index<T> {
  const known = indexes.get(items) as Index<T> | undefined;
  if (known) return known;
  const byObject = new Map<string, T[]>();
  const byCluster = new Map<string, T[]>();
  const oldestFirst = [...items.values()].sort(
    (a, b) => (a.created_at ?? '').localeCompare(b.created_at ?? '') || a.id.localeCompare(b.id),
  );
  for (const item of oldestFirst) {
    const owner = storageOwner(item);
    if (owner === undefined) continue;
    push(byObject, storageKey(owner), item);
    push(byCluster, owner.clusterUid, item);
  }
  const index = { byObject, byCluster };
  indexes.set(items, index);
  return index;
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}
