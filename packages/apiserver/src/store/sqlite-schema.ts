import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from './store.ts';

/** Application ID of our files: 'FWkv'. */
const APPLICATION_ID = 0x46576b76;

/** The tables of schema 1. */
const FIRST_SCHEMA = `
  create table keyspace (
    id integer primary key,
    name text not null unique,
    -- Of the last write, deletions included: never goes back.
    revision integer not null
  ) strict;
  create table object (
    keyspace integer not null references keyspace (id),
    bucket text not null,
    key text not null,
    revision integer not null,
    value text not null,
    primary key (keyspace, bucket, key)
  ) strict;
`;

/**
 * Migrations from schema 1 to 2, 2 to 3, and so on; `user_version` is the current schema. Released migrations are never
 * changed. An older release rejects a file with more migrations; changes that it may ignore are added as tables
 * instead, like `writer`.
 */
const MIGRATIONS: readonly string[] = [];

/** The last release that wrote the file. A release that cannot read the file reports it. */
const WRITER = `
  create table if not exists writer (
    id integer primary key check (id = 1),
    release text not null,
    schema integer not null
  ) strict;
`;

export interface SchemaOptions {
  /** This release of Fairway. */
  readonly release?: string | undefined;
  readonly migrations?: readonly string[];
}

/**
 * Creates the tables of a new file, or migrates the tables of an older file in one transaction. Throws a StoreError
 * for a file that belongs to another program, and for a later schema, naming the release that wrote the file.
 */
export function prepareSchema(
  path: string,
  database: DatabaseSync,
  { release, migrations = MIGRATIONS }: SchemaOptions = {},
): void {
  const known = migrations.length + 1;
  const isEmpty = numberOf(database, 'schema_version') === 0;
  if (!isEmpty && numberOf(database, 'application_id') !== APPLICATION_ID) {
    throw new StoreError(`${path} is an SQLite database of another program; choose another file`);
  }
  const version = isEmpty ? 0 : numberOf(database, 'user_version');
  if (version > known) {
    throw new StoreError(
      `database ${path} was written by a newer version (schema ${version}, this version knows ${known}); ${remedy(database)}`,
    );
  }
  if (version < known) {
    const steps = isEmpty ? [FIRST_SCHEMA, ...migrations] : migrations.slice(version - 1);
    const pragmas = `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${known};`;
    inTransaction(database, () => database.exec(`${steps.join(';')}; ${pragmas}`));
  }
  if (release !== undefined && writerOf(database)?.release !== release) {
    inTransaction(database, () => {
      database.exec(WRITER);
      database.prepare('insert or replace into writer (id, release, schema) values (1, ?, ?)').run(release, known);
    });
  }
}

function remedy(database: DatabaseSync): string {
  const writer = writerOf(database);
  if (writer === undefined) return 'upgrade, or restore a backup';
  return `use Fairway ${writer.release} or later, or restore a backup`;
}

function writerOf(database: DatabaseSync): { readonly release: string } | undefined {
  const writerTable = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'writer'").get();
  if (writerTable === undefined) return undefined;
  const row = database.prepare('select release from writer').get();
  return row === undefined ? undefined : { release: String(row['release']) };
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0]);
}
