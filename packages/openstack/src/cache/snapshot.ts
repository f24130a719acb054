import { isDeepStrictEqual } from 'node:util';

export interface Identified {
  readonly id: string;
}

/** What is known of a project's resources of one kind. */
export interface Snapshot<T extends Identified> {
  readonly items: ReadonlyMap<string, T>;
  /** When the list behind it began: it shows all that was written before. Undefined before the first. */
  readonly listedAtMs: number | undefined;
  /** Present while lists fail: the items are those of `listedAtMs`. */
  readonly stale?: { readonly sinceMs: number; readonly error: unknown };
}

export interface Delta<T extends Identified> {
  readonly added: readonly T[];
  readonly changed: readonly T[];
  readonly removed: readonly T[];
  /** Whether lists fail now; a delta without items tells that this changed. */
  readonly isStale: boolean;
}

export interface Diff<T extends Identified> {
  readonly items: ReadonlyMap<string, T>;
  readonly added: readonly T[];
  readonly changed: readonly T[];
  readonly removed: readonly T[];
}

/** Compares a new list with what was known; an item that did not change stays the same object. */
export function diffItems<T extends Identified>(known: ReadonlyMap<string, T>, listed: readonly T[]): Diff<T> {
  const items = new Map<string, T>();
  const added: T[] = [];
  const changed: T[] = [];
  for (const item of listed) {
    const old = known.get(item.id);
    // Pages shift while they are read: an item may come twice.
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
