import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { prepareSchema } from './sqlite-schema.ts';
import { StoreError } from './store.ts';

/**
 * Opens or creates a database with our tables, exclusively for this process. Throws a StoreError that names the file
 * if it is damaged, in use, or from a newer version.
 */
export function openFile(path: string, release: string | undefined): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makeFile(path);
    database = new DatabaseSync(path);
    prepare(path, database, release);
    return database;
  } catch (error) {
    database?.close();
    throw openError(path, error);
  }
}

function prepare(path: string, database: DatabaseSync, release: string | undefined): void {
  // Must precede the creation of the first table. It returns the space of dropped keyspaces to the file system.
  database.exec('pragma auto_vacuum = incremental');
  database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full');
  database.exec('pragma journal_size_limit = 33554432; pragma foreign_keys = off');
  prepareSchema(path, database, { release });
}

/** Creates the file, accessible only to its owner regardless of the umask: SQLite's journals get the same mode. */
function makeFile(path: string): void {
  try {
    // Never opens an existing file: closing it would release this process's POSIX locks on it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Why the file can't be used, and what to do about it. A StoreError is returned unchanged. */
export function openError(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const message = messageOf(cause);
  if (/locked|busy/i.test(message)) {
    return new StoreError(`database ${path} is in use by another process`, { cause });
  }
  if (/not a database|malformed|corrupt/i.test(message)) {
    return new StoreError(`database ${path} is damaged (${message}); restore it from a backup`, { cause });
  }
  return new StoreError(`cannot open database ${path}: ${message}`, { cause });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
