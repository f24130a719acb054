import { type Change, type Row, Table } from './table.ts';

/** Persists committed changes before they are acknowledged. */
export interface Journal {
  /** All rows saved so far: tables in any order, the rows of each table in order of creation. */
  load(): Iterable<Change>;
  /** Saves the changes atomically. When it returns, they survive the killing of the process. */
  write(changes: readonly Change[]): void;
  close(): void;
}

/** Every row of every table, as plain JSON. */
export type Snapshot = Readonly<Record<string, readonly Row[]>>;

/**
 * The cloud's in-memory database. Transactions run synchronously, so they need no locks. A transaction commits when its
 * callback returns, and rolls back when its callback throws.
 */
export class Database {
  readonly #tables = new Map<string, Table<Row>>();
  readonly #journal: Journal | undefined;
  #callbacks: (() => void)[] = [];
  #depth = 0;

  constructor(journal?: Journal) {
    this.#journal = journal;
  }

  table<R extends Row>(name: string): Table<R> {
    const table = new Table<R>(name);
    this.#tables.set(name, table);
    return table;
  }

  /** Fills the tables, which must already be declared, from the journal. Returns whether the journal had content. */
  loadJournal(): boolean {
    let count = 0;
    for (const change of this.#journal?.load() ?? []) {
      if (change.row === undefined) continue;
      this.#tables.get(change.table)?.load(change.row);
      count++;
    }
    return count > 0;
  }

  transact<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.#depth++;
    try {
      const result = work();
      const changes = [...this.#tables.values()].flatMap((table) => table.changes());
      if (changes.length > 0) this.#journal?.write(changes);
      for (const table of this.#tables.values()) table.commit();
      const callbacks = this.#callbacks;
      this.#callbacks = [];
      this.#depth--;
      for (const callback of callbacks) callback();
      return result;
    } catch (error) {
      if (this.#depth > 0) {
        this.#depth--;
        for (const table of this.#tables.values()) table.rollBack();
        this.#callbacks = [];
      }
      throw error;
    }
  }

  /** Runs `callback` after the current transaction has committed, or immediately if there is no transaction. */
  afterCommit(callback: () => void): void {
    if (this.#depth === 0) callback();
    else this.#callbacks.push(callback);
  }

  snapshot(): Snapshot {
    const snapshot: Record<string, readonly Row[]> = {};
    for (const [name, table] of this.#tables) snapshot[name] = structuredClone([...table.values()]);
    return snapshot;
  }

  /** Replaces all content with that of a snapshot. */
  restore(snapshot: Snapshot): void {
    this.transact(() => {
      for (const [name, table] of this.#tables) {
        for (const row of table.values()) table.delete(row.id);
        for (const row of structuredClone(snapshot[name] ?? [])) table.put(row);
      }
    });
  }

  close(): void {
    this.#journal?.close();
  }
}
