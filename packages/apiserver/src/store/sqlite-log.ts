import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';

/** Brings what was written to an open file to the disk, while the event loop goes on. */
type Flush = (file: number) => Promise<void>;

const flushFile: Flush = promisify(fdatasync);

export interface LogOptions {
  /** How files get to the disk; fdatasync by default. */
  readonly flush?: Flush;
  /** The same while the process waits. */
  readonly flushSync?: (file: number) => void;
  /** The length at which the log is copied into the file, 6,000 by default (24 MiB): a longer one is copied less often, a shorter one faster, 2 to 5 ms of the event loop for each 1,000. */
  readonly maxLogPages?: number;
}

const MAX_LOG_PAGES = 6_000;

/**
 * SQLite's write-ahead log, flushed by a thread of Node's pool: SQLite itself would have the process wait, and with fsync, which takes many times as long
 * as fdatasync on a log that does not grow. To SQLite the mode is `synchronous = normal`: it writes in the right order, and the log's header is on the disk before
 * what follows it.
 *
 * Its caller commits nothing between `copy` and the end of `flushCopy`, unless `flushCopySync` comes before it, and nothing at all after a flush that has failed: nobody knows then what the disk holds.
 * Between `flush` and `copy` it commits only what `flushSync` follows at once: what is copied must be in the log on the disk, or a power failure leaves half of it.
 */
export class SqliteLog {
  readonly #database: DatabaseSync;
  readonly #flush: Flush;
  readonly #flushSync: (file: number) => void;
  readonly #maxPages: number;
  readonly #file: number;
  readonly #log: number;
  readonly #length: StatementSync;
  /** The log is copied into the file, which is not flushed yet. */
  #isCopied = false;

  /** @param path of the database, which is open in WAL mode: whoever closes its file lets go of its locks, so `close` comes after the database's. */
  constructor(path: string, database: DatabaseSync, options: LogOptions) {
    const { flush = flushFile, flushSync = fdatasyncSync, maxLogPages = MAX_LOG_PAGES } = options;
    this.#database = database;
    this.#flush = flush;
    this.#flushSync = flushSync;
    this.#maxPages = maxLogPages;
    database.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0');
    this.#length = database.prepare('pragma wal_checkpoint(noop)');
    this.#file = openSync(path, 'r');
    this.#log = openSync(`${path}-wal`, 'r');
  }

  /** Resolves when all that is committed is on the disk. */
  flush(): Promise<void> {
    return this.#flush(this.#log);
  }

  /** The same while the process waits. */
  flushSync(): void {
    this.#flushSync(this.#log);
  }

  get isLong(): boolean {
    const { log = 0, checkpointed = 0 } = this.#length.get() ?? {};
    return Number(log) - Number(checkpointed) >= this.#maxPages;
  }

  /** Copies the log, which is flushed, into the file. Throws when the disk has no room, and leaves the log as it is. */
  copy(): void {
    this.#database.exec('pragma synchronous = off');
    try {
      this.#database.exec('pragma wal_checkpoint(passive)');
      this.#isCopied = true;
    } finally {
      this.#database.exec('pragma synchronous = normal');
    }
  }

  /** Brings the copy to the disk, after which SQLite begins the log anew. */
  async flushCopy(): Promise<void> {
    await this.#flush(this.#file);
    this.#isCopied = false;
  }

  /** The same while the process waits; nothing if there is no copy that is not flushed. */
  flushCopySync(): void {
    if (this.#isCopied) this.#flushSync(this.#file);
    this.#isCopied = false;
  }

  close(): void {
    closeSync(this.#log);
    closeSync(this.#file);
  }
}
