import { isDeepStrictEqual } from 'node:util';

export interface Identifiable {
  readonly id: string;
}

/** The cached state of a project's resources of one kind. */
export interface Snapshot<T extends Identifiable> {
  readonly items: ReadonlyMap<string, T>;
  /** When the underlying list began: it shows everything written before that time. Undefined before the first list. */
  readonly listedAtMs: number | undefined;
  /** Present while lists fail: the items are those of `listedAtMs`. */
  readonly stale?: { readonly sinceMs: number; readonly error: unknown };
}

export interface Delta<T extends Identifiable> {
  readonly added: readonly T[];
  readonly changed: readonly T[];
  readonly removed: readonly T[];
  /** Whether lists currently fail; a delta without items reports that this changed. */
  readonly isStale: boolean;
}

export interface Diff<T extends Identifiable> {
  readonly items: ReadonlyMap<string, T>;
  readonly added: readonly T[];
  readonly changed: readonly T[];
  readonly removed: readonly T[];
}

/** Compares a new list with the previous one; unchanged items keep their identity. */
export function diffItems<T extends Identifiable>(known: ReadonlyMap<string, T>, listed: readonly T[]): Diff<T> {
  const items = new Map<string, T>();
  const added: T[] = [];
  const changed: T[] = [];
  for (const item of listed) {
    const old = known.get(item.id);
    // Pages shift while they are read, so an item may appear twice.
    if (old === undefined) {
      if (!items.has(item.id)) added.push(item);
      items.set(item.id, item);
    } else if (isDeepStrictEqual(old, item)) {
      items.set(item.id, old);
    } else {
      if (!items.has(item.id)) changed.push(item);
      items.set(item.id, item);
    }
  }
  const removed = [...known.values()].filter((item) => !items.has(item.id));
  return { items, added, changed, removed };
}
