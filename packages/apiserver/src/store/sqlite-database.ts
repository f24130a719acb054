import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { ValueCodec } from './encryption.ts';
import { Keyspace } from './keyspace.ts';
import { messageOf, openError, openFile } from './sqlite-file.ts';
import { type LogOptions, SqliteLog } from './sqlite-log.ts';
import { type Change, Entry, type Store, StoreError } from './store.ts';

/**
 * Maximum size of a commit. SQLite blocks the process while writing, 10 to 20 ms for each MiB on an idle machine.
 * Twenty objects of 3 MB in one turn would take a second, during which no Lease could be renewed. Other work
 * runs between commits.
 */
const MAX_COMMIT_CHARS = 4 * 1024 * 1024;

/** Size of a load step: 160 MB in one event-loop turn took 1.4 s. */
const MAX_LOAD_CHARS = 4 * 1024 * 1024;
/** The cost of a row in characters, in addition to the length of its value. */
const ROW_CHARS = 512;

interface ObjectRow {
  readonly bucket: string;
  readonly key: string;
  readonly revision: number;
  readonly value: string;
}

/** A keyspace that is partly in memory. */
interface Loading {
  readonly id: number;
  readonly name: string;
  readonly keyspace: Keyspace;
  /** Objects in an earlier encoding. */
  readonly outdated: { readonly bucket: string; readonly entry: Entry }[];
  /** The object that was loaded last. */
  after: { readonly bucket: string; readonly key: string };
}

export interface SqliteOptions extends LogOptions {
  /** Encoding of values in the file; plain by default. Values in an earlier encoding are read and re-encoded. */
  readonly codec?: ValueCodec;
  /**
   * This release of Fairway. It is recorded in the file, for the error messages of releases that can't read the file.
   */
  readonly release?: string;
}

/**
 * Leases are stale after a power failure anyway, so a commit that contains only Leases is not flushed: 300 nodes make
 * 30 renewals a second.
 */
const HEARTBEATS = 'leases.coordination.k8s.io';
/**
 * Revisions to skip after a power failure, because watches may have seen revisions of lost Leases. The kernel writes
 * data to disk within 35 s.
 */
const SKIPPED_REVISIONS = 100_000;

/**
 * One durable file for many keyspaces, for instance one for each tenant cluster. Writes to any keyspace in one
 * event-loop turn, and while the disk is busy with earlier writes, share one transaction and one flush.
 *
 * Guarantees: those of `Store`; after a kill at any time the file contains all acknowledged writes, and possibly some
 * in progress. Caveats: one process at a time; after a failed flush, nothing is written until the process is
 * restarted.
 */
export class SqliteDatabase {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #setRevision: StatementSync;
  readonly #next: StatementSync;
  readonly #codec: ValueCodec | undefined;
  readonly #log: SqliteLog;
  /** The file was not closed: there may have been a power failure. */
  readonly #hadUncleanShutdown: boolean;
  /**
   * Keyspaces whose first commit must be flushed: otherwise, after another power failure, the same revisions would be
   * skipped again.
   */
  readonly #keyspacesToFlush = new WeakSet<Keyspace>();
  readonly #stores = new Map<string, { readonly id: number; readonly keyspace: Keyspace }>();
  readonly #loadings = new Map<string, Loading>();
  #waiting = new Set<Keyspace>();
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #committing: Promise<void> | undefined;
  /** Why the store no longer accepts writes. */
  #failure: StoreError | undefined;

  private constructor(path: string, database: DatabaseSync, hadUncleanShutdown: boolean, options: SqliteOptions) {
    this.path = path;
    this.#hadUncleanShutdown = hadUncleanShutdown;
    this.#database = database;
    this.#codec = options.codec;
    this.#log = new SqliteLog(path, database, options);
    this.#put = database.prepare(
      `insert into object (keyspace, bucket, key, revision, value) values (?, ?, ?, ?, ?)
       on conflict (keyspace, bucket, key) do update set revision = excluded.revision, value = excluded.value`,
    );
    this.#delete = database.prepare('delete from object where keyspace = ? and bucket = ? and key = ?');
    this.#next = database.prepare(
      `select bucket, key, revision, value from object where keyspace = ? and (bucket, key) > (?, ?) order by bucket, key`,
    );
    this.#setRevision = database.prepare('update keyspace set revision = ? where id = ?');
  }

  /**
   * Opens or creates the file. Throws a StoreError that names the file if it is damaged, in use, or from a newer
   * version.
   */
  static open(path: string, options: SqliteOptions = {}): SqliteDatabase {
    // SQLite removes its log when it closes the file.
    const hadUncleanShutdown = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    const database = openFile(path, options.release);
    try {
      return new SqliteDatabase(path, database, hadUncleanShutdown, options);
    } catch (error) {
      database.close();
      throw openError(path, error);
    }
  }

  /** Names of the keyspaces in the file. */
  get keyspaces(): readonly string[] {
    const rows = this.#database.prepare('select name from keyspace order by name').all();
    return rows.map((row) => String(row['name']));
  }

  /**
   * The store of a keyspace, loaded into memory, and created if missing. Returns the same store until it is closed or
   * dropped.
   */
  store(name: string): Store {
    this.#ensureOpen();
    const known = this.#stores.get(name);
    if (known !== undefined) return known.keyspace;
    const loading = this.#loading(name);
    for (;;) {
      const store = this.#load(loading);
      if (store !== undefined) return store;
    }
  }

  /**
   * The store of a keyspace, loaded in steps with other work in between: a tenant may have stored hundreds of
   * megabytes.
   */
  async openStore(name: string): Promise<Store> {
    for (;;) {
      this.#ensureOpen();
      const store = this.#stores.get(name)?.keyspace ?? this.#load(this.#loading(name));
      if (store !== undefined) return store;
      await setImmediate();
    }
  }

  #loading(name: string): Loading {
    const known = this.#loadings.get(name);
    if (known !== undefined) return known;
    try {
      const { id, revision } = this.#find(name) ?? this.#add(name);
      const lastRevision = this.#hadUncleanShutdown && revision > 0 ? revision + SKIPPED_REVISIONS : revision;
      const keyspace = new SqliteKeyspace(name, { revision, lastRevision }, this.#requestCommit, () => {
        this.#stores.delete(name);
      });
      if (lastRevision > revision) this.#keyspacesToFlush.add(keyspace);
      const loading: Loading = { id, name, keyspace, outdated: [], after: { bucket: '', key: '' } };
      this.#loadings.set(name, loading);
      return loading;
    } catch (error) {
      throw openError(this.path, error);
    }
  }

  /** Loads the next objects. Returns the store once all are loaded. */
  #load(loading: Loading): Store | undefined {
    const { id, name, keyspace, outdated, after } = loading;
    try {
      let left = MAX_LOAD_CHARS;
      for (const object of this.#next.iterate(id, after.bucket, after.key) as Iterable<unknown>) {
        const { bucket, key, revision, value } = object as ObjectRow;
        const text = this.#codec?.open(bucket, placeOf(name, bucket, key), value) ?? value;
        const entry = new Entry(key, revision, text);
        if (this.#codec?.isOutdated(bucket, value)) outdated.push({ bucket, entry });
        keyspace.load(bucket, entry);
        loading.after = { bucket, key };
        left -= value.length + ROW_CHARS;
        if (left <= 0) return undefined;
      }
      this.#loadings.delete(name);
      if (outdated.length > 0) {
        this.#writeNow(() => {
          for (const { bucket, entry } of outdated) this.#keep(id, name, bucket, entry);
        });
      }
      this.#stores.set(name, { id, keyspace });
      return keyspace;
    } catch (error) {
      this.#loadings.delete(name);
      throw openError(this.path, error);
    }
  }

  /**
   * Copies a store from another file into this file as a keyspace, with its revisions. The copy is durable when the
   * method returns. Throws if the name exists.
   */
  copyKeyspace(name: string, source: Store): void {
    this.#ensureOpen();
    this.#writeNow(() => {
      const id = this.#insert(name, source.revision);
      for (const bucket of source.buckets) {
        for (const entry of source.list(bucket)) this.#keep(id, name, bucket, entry);
      }
    });
  }

  /** Removes a keyspace and its content; its store, if open, is closed. */
  async dropKeyspace(name: string): Promise<void> {
    this.#ensureOpen();
    // A load in progress is completed first: its callers then get a closed store rather than deleted objects.
    if (this.#loadings.has(name)) this.store(name);
    await this.#stores.get(name)?.keyspace.close();
    this.#writeNow(
      () => {
        const owner = 'select id from keyspace where name = ?';
        this.#database.prepare(`delete from object where keyspace = (${owner})`).run(name);
        this.#database.prepare('delete from keyspace where name = ?').run(name);
      },
      () => this.#database.exec('pragma incremental_vacuum'),
    );
  }

  /** Commits pending writes, and closes all stores. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#stores.values()].map(({ keyspace }) => keyspace.close()));
    await this.#committing;
    this.#isClosed = true;
    // Closing would copy the log into the file, but its content can't be trusted after a failure: the next start reads
    // the file and the log.
    if (this.#failure !== undefined) return;
    this.#database.close();
    this.#log.close();
  }

  #find(name: string): { readonly id: number; readonly revision: number } | undefined {
    const row = this.#database.prepare('select id, revision from keyspace where name = ?').get(name);
    return row && { id: Number(row['id']), revision: Number(row['revision']) };
  }

  #add(name: string): { readonly id: number; readonly revision: number } {
    let id = 0;
    this.#writeNow(() => {
      id = this.#insert(name, 0);
    });
    return { id, revision: 0 };
  }

  #insert(name: string, revision: number): number {
    const insert = this.#database.prepare('insert into keyspace (name, revision) values (?, ?)');
    return Number(insert.run(name, revision).lastInsertRowid);
  }

  #ensureOpen(): void {
    if (this.#isClosed) throw new StoreError(`database ${this.path} is closed`);
  }

  readonly #requestCommit = (keyspace: Keyspace): void => {
    this.#waiting.add(keyspace);
    this.#committing ??= this.#commitWaiting();
  };

  /** Commits until no write is pending: once per turn, and only after the last commit is on disk. */
  async #commitWaiting(): Promise<void> {
    while (this.#waiting.size > 0) {
      await setImmediate();
      const waiting = [...this.#waiting];
      this.#waiting = new Set();
      await this.#commit(waiting);
    }
    this.#committing = undefined;
  }

  async #commit(waiting: readonly Keyspace[]): Promise<void> {
    let batches: readonly Batch[];
    try {
      if (this.#failure !== undefined) throw this.#failure;
      batches = batchesOf(waiting);
      this.#inTransaction(() => {
        for (const batch of batches) this.#write(batch);
      });
      const followsUncleanShutdown = batches.some(
        ({ keyspace, changes }) => changes.length > 0 && this.#keyspacesToFlush.has(keyspace),
      );
      if (followsUncleanShutdown || batches.some(needsFlush)) await this.#guardFlush(this.#log.flush());
    } catch (error) {
      const message = `cannot write to database ${this.path}: ${messageOf(error)}`;
      const failure = error instanceof StoreError ? error : new StoreError(message, { cause: error });
      for (const keyspace of waiting) keyspace.abort(failure);
      return;
    }
    for (const { keyspace, changes } of batches) {
      if (changes.length > 0) this.#keyspacesToFlush.delete(keyspace);
      keyspace.commit(changes.length);
    }
    for (const keyspace of waiting) if (keyspace.pendingChanges.length > 0) this.#waiting.add(keyspace);
    if (this.#log.isLong) await this.#shortenLog();
  }

  async #shortenLog(): Promise<void> {
    try {
      // This includes commits without a flush.
      await this.#guardFlush(this.#log.flush());
      this.#log.copy();
      await this.#guardFlush(this.#log.flushCopy());
    } catch {
      // If the disk has no space for the copy, the log keeps growing. A failed flush is reported to the next writer.
    }
  }

  /** The content of the disk is unknown after a failed flush, so nothing more is written. */
  async #guardFlush(flush: Promise<void>): Promise<void> {
    try {
      await flush;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #guardFlushSync(flush: () => void): void {
    try {
      flush();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): StoreError {
    const message = `database ${this.path} cannot be written to until Fairway is started again: flushing it failed: ${messageOf(error)}`;
    this.#failure = new StoreError(message, { cause: error });
    return this.#failure;
  }

  /**
   * For rare operations: blocks until the statement is on disk. The writes made by `after` are included, in a separate
   * transaction.
   */
  #writeNow(work: () => void, after?: () => void): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#guardFlushSync(() => this.#log.flushCopySync());
    try {
      this.#inTransaction(work);
      after?.();
    } finally {
      this.#guardFlushSync(() => this.#log.flushSync());
    }
  }

  #write({ keyspace, changes }: Batch): void {
    const last = changes.at(-1);
    if (last === undefined) return;
    const id = this.#stores.get(keyspace.name)?.id ?? -1;
    // If a turn writes to a key several times, only the last write is committed.
    const latest = new Map<string, Change>();
    for (const change of changes) latest.set(`${change.bucket} ${change.entry.key}`, change);
    for (const { bucket, removed, entry } of latest.values()) {
      if (removed) this.#delete.run(id, bucket, entry.key);
      else this.#keep(id, keyspace.name, bucket, entry);
    }
    this.#setRevision.run(last.entry.revision, id);
  }

  #keep(id: number, keyspace: string, bucket: string, { key, revision, text }: Entry): void {
    const value = this.#codec?.seal(bucket, placeOf(keyspace, bucket, key), text) ?? text;
    this.#put.run(id, bucket, key, revision, value);
  }

  #inTransaction(work: () => void): void {
    this.#database.exec('begin immediate');
    try {
      work();
      this.#database.exec('commit');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

/** The first pending changes of a keyspace, which one commit makes durable. */
interface Batch {
  readonly keyspace: Keyspace;
  readonly changes: readonly Change[];
}

/** Without a flush a write survives a killed process, but a power failure may lose the latest writes. */
function needsFlush({ changes }: Batch): boolean {
  return changes.some(({ bucket }) => bucket !== HEARTBEATS);
}

/** The first changes of each keyspace, up to the size of one commit; later changes wait for the next commit. */
function batchesOf(keyspaces: readonly Keyspace[]): Batch[] {
  let charsLeft = MAX_COMMIT_CHARS;
  return keyspaces.map((keyspace) => {
    const changes: Change[] = [];
    for (const change of keyspace.pendingChanges) {
      if (charsLeft <= 0) break;
      charsLeft -= change.entry.text.length;
      changes.push(change);
    }
    return { keyspace, changes };
  });
}

/** A space separates the parts, because no part can contain one. */
function placeOf(keyspace: string, bucket: string, key: string): string {
  return `${keyspace} ${bucket} ${key}`;
}

class SqliteKeyspace extends Keyspace {
  readonly #onClose: () => void;

  constructor(
    name: string,
    { revision, lastRevision }: { readonly revision: number; readonly lastRevision: number },
    requestCommit: (keyspace: Keyspace) => void,
    onClose: () => void,
  ) {
    super(name, revision, requestCommit, lastRevision);
    this.#onClose = onClose;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClose();
  }
}
