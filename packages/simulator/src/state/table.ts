/** What a table holds: a value that is replaced, never changed in place. */
export interface Row {
  readonly id: string;
}

export interface Change {
  readonly table: string;
  readonly id: string;
  /** Absent when the row was deleted. */
  readonly row?: Row;
}

/** Rows of one kind by id, in order of creation. Changes are collected until the database commits or rolls back. */
export class Table<R extends Row> {
  readonly name: string;
  readonly #rows = new Map<string, R>();
  readonly #before = new Map<string, R | undefined>();

  constructor(name: string) {
    this.name = name;
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
    this.#remember(row.id);
    this.#rows.set(row.id, row);
    return row;
  }

  delete(id: string): void {
    this.#remember(id);
    this.#rows.delete(id);
  }

  /** Takes a row as it was saved; not a change. */
  load(row: R): void {
    this.#rows.set(row.id, row);
  }

  /** Forgets all rows; not a change. */
  clear(): void {
    this.#rows.clear();
    this.#before.clear();
  }

  /** Hands over what changed since the last call. */
  takeChanges(): Change[] {
    const changes: Change[] = [];
    for (const id of this.#before.keys()) {
      const row = this.#rows.get(id);
      changes.push(row === undefined ? { table: this.name, id } : { table: this.name, id, row });
    }
    this.#before.clear();
    return changes;
  }

  rollBack(): void {
    for (const [id, row] of this.#before) {
      if (row === undefined) this.#rows.delete(id);
      else this.#rows.set(id, row);
    }
    this.#before.clear();
  }

  #remember(id: string): void {
    if (!this.#before.has(id)) this.#before.set(id, this.#rows.get(id));
  }
}
