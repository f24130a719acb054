/** A row: a value that is replaced, never changed in place. */
export interface Row {
  readonly id: string;
}

export interface Change {
  readonly table: string;
  readonly id: string;
  /** Absent if the row was deleted. */
  readonly row?: Row;
}

/** A non-unique index. */
export interface Index<R extends Row> {
  of(key: string): R[];
}

interface LiveIndex<R extends Row> extends Index<R> {
  replace(before: R | undefined, after: R | undefined): void;
}

/** Rows of one type by ID, in order of creation. Changes are collected until the database commits or rolls back. */
export class Table<R extends Row> {
  readonly name: string;
  readonly #rows = new Map<string, R>();
  readonly #previous = new Map<string, R | undefined>();
  readonly #indexes: LiveIndex<R>[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Adds an index by a key; must be called while the table is empty. */
  indexBy(keyOf: (row: R) => string): Index<R> {
    const index = createIndex(keyOf);
    this.#indexes.push(index);
    return index;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): R | undefined {
    return this.#rows.get(id);
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  values(): Iterable<R> {
    return this.#rows.values();
  }

  where(predicate: (row: R) => boolean): R[] {
    const found: R[] = [];
    for (const row of this.#rows.values()) if (predicate(row)) found.push(row);
    return found;
  }

  find(predicate: (row: R) => boolean): R | undefined {
    for (const row of this.#rows.values()) if (predicate(row)) return row;
    return undefined;
  }

  put(row: R): R {
    this.#rememberRow(row.id);
    this.#replace(row.id, row);
    return row;
  }

  delete(id: string): void {
    this.#rememberRow(id);
    this.#replace(id, undefined);
  }

  /** Loads a saved row, without recording a change. */
  load(row: R): void {
    this.#replace(row.id, row);
  }

  /** Changes since the last commit, except for rows that were created and deleted since then. */
  changes(): Change[] {
    const changes: Change[] = [];
    for (const [id, before] of this.#previous) {
      const row = this.#rows.get(id);
      if (row !== undefined) changes.push({ table: this.name, id, row });
      else if (before !== undefined) changes.push({ table: this.name, id });
    }
    return changes;
  }

  commit(): void {
    this.#previous.clear();
  }

  rollBack(): void {
    for (const [id, row] of this.#previous) this.#replace(id, row);
    this.#previous.clear();
  }

  #rememberRow(id: string): void {
    if (!this.#previous.has(id)) this.#previous.set(id, this.#rows.get(id));
  }

  #replace(id: string, row: R | undefined): void {
    const before = this.#rows.get(id);
    if (row === undefined) this.#rows.delete(id);
    else this.#rows.set(id, row);
    for (const index of this.#indexes) index.replace(before, row);
  }
}

function createIndex<R extends Row>(keyOf: (row: R) => string): LiveIndex<R> {
  const rowsByKey = new Map<string, Map<string, R>>();
  return {
    of: (key) => [...(rowsByKey.get(key)?.values() ?? [])],
    replace(before, after) {
      const [oldKey, newKey] = [before && keyOf(before), after && keyOf(after)];
      if (before !== undefined && oldKey !== undefined && oldKey !== newKey) {
        const rows = rowsByKey.get(oldKey);
        rows?.delete(before.id);
        if (rows?.size === 0) rowsByKey.delete(oldKey);
      }
      if (after === undefined || newKey === undefined) return;
      const rows = rowsByKey.get(newKey);
      if (rows === undefined) rowsByKey.set(newKey, new Map([[after.id, after]]));
      else rows.set(after.id, after);
    },
  };
}
