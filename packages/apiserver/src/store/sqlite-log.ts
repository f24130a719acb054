import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';

/** Flushes an open file to disk without blocking the event loop. */
type Flush = (file: number) => Promise<void>;

const flushFile: Flush = promisify(fdatasync);

export interface LogOptions {
  /** The function that flushes files; fdatasync by default. */
  readonly flush?: Flush;
  /** The synchronous variant of `flush`. */
  readonly flushSync?: (file: number) => void;
  /**
   * The length, in pages, at which the log is copied into the file; 6,000 by default (24 MiB). A longer log is copied
   * less often; copying takes 2 to 5 ms of the event loop for each 1,000 pages.
   */
  readonly maxLogPages?: number;
}

const MAX_LOG_PAGES = 6_000;

/**
 * SQLite's write-ahead log, flushed by Node's thread pool. SQLite itself would block the process, and use fsync, which
 * takes many times as long as fdatasync on a log that does not grow. SQLite runs with `synchronous = normal`: it writes
 * in the right order, and the log's header is on disk before its content.
 *
 * The caller commits nothing between `copy` and the end of `flushCopy`, unless `flushCopySync` comes before the commit,
 * and nothing at all after a failed flush, when the content of the disk is unknown. Between `flush` and `copy` it
 * commits only if `flushSync` follows immediately: copied pages must be in the log on disk, or a power failure leaves a
 * partial copy.
 */
export class SqliteLog {
  readonly #database: DatabaseSync;
  readonly #flush: Flush;
  readonly #flushSync: (file: number) => void;
  readonly #maxPages: number;
  readonly #file: number;
  readonly #log: number;
  readonly #length: StatementSync;
  /** The log was copied into the file, and the file has not been flushed yet. */
  #isCopied = false;

  /**
   * @param path path of the database, which is open in WAL mode: closing the file releases its POSIX locks, so call `close` after closing the
   * database.
   */
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

  /** Resolves when all commits are on disk. */
  flush(): Promise<void> {
    return this.#flush(this.#log);
  }

  /** The synchronous variant of `flush`. */
  flushSync(): void {
    this.#flushSync(this.#log);
  }

  get isLong(): boolean {
    const { log = 0, checkpointed = 0 } = this.#length.get() ?? {};
    return Number(log) - Number(checkpointed) >= this.#maxPages;
  }

  /** Copies the flushed log into the file. Throws if the disk is full, leaving the log unchanged. */
  copy(): void {
    this.#database.exec('pragma synchronous = off');
    try {
      this.#database.exec('pragma wal_checkpoint(passive)');
      this.#isCopied = true;
    } finally {
      this.#database.exec('pragma synchronous = normal');
    }
  }

  /** Flushes the copy, after which SQLite restarts the log. */
  async flushCopy(): Promise<void> {
    await this.#flush(this.#file);
    this.#isCopied = false;
  }

  /** The synchronous variant of `flushCopy`; a no-op if there is no unflushed copy. */
  flushCopySync(): void {
    if (this.#isCopied) this.#flushSync(this.#file);
    this.#isCopied = false;
  }

  close(): void {
    closeSync(this.#log);
    closeSync(this.#file);
  }
}
