import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { prepareSchema } from './sqlite-schema.ts';
import { StoreError } from './store.ts';

const ADD_SIZE = 'alter table object add column size integer not null default 7';
const ADD_NOTE = 'create table note (text text not null) strict';

function withObject(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  prepareSchema('f', database);
  database.exec("insert into keyspace values (1, 'k', 1); insert into object values (1, 'b', 'x', 1, '{}')");
  return database;
}

function versionOf(database: DatabaseSync): unknown {
  return database.prepare('pragma user_version').get()?.['user_version'];
}

test('migrates a file with an earlier schema step by step, including its content', () => {
  const database = withObject();
  prepareSchema('f', database, { migrations: [ADD_SIZE] });
  expect(versionOf(database)).toBe(2);

  prepareSchema('f', database, { migrations: [ADD_SIZE, ADD_NOTE] });

  expect(versionOf(database)).toBe(3);
  expect(database.prepare('select key, size from object').all()).toMatchObject([{ key: 'x', size: 7 }]);
  expect(database.prepare('select * from note').all()).toEqual([]);
});

test('leaves the file unchanged if a migration fails', () => {
  const database = withObject();

  expect(() => prepareSchema('f', database, { migrations: [ADD_SIZE, 'nonsense'] })).toThrow('syntax error');

  expect(versionOf(database)).toBe(1);
  expect(database.prepare('select * from object').all()).toHaveLength(1);
  prepareSchema('f', database, { migrations: [ADD_SIZE] });
  expect(versionOf(database)).toBe(2);
});

test('rejects a later schema, and names the release that wrote it', () => {
  const database = withObject();
  prepareSchema('f', database, { release: '0.9.0', migrations: [ADD_SIZE] });

  const open = () => prepareSchema('f', database, { release: '0.8.0' });

  expect(open).toThrow(StoreError);
  expect(open).toThrow('(schema 2, this version knows 1); use Fairway 0.9.0 or later, or restore a backup');
});

test('also rejects an unsigned file with a later schema', () => {
  const database = withObject();
  database.exec('pragma user_version = 4');
  expect(() => prepareSchema('f', database)).toThrow('upgrade, or restore a backup');
});

test('signs each file that it opens, and reads unsigned files too', () => {
  const database = withObject();
  prepareSchema('f', database, { release: '0.2.0' });
  prepareSchema('f', database, { release: '0.3.0' });
  expect(database.prepare('select release, schema from writer').all()).toMatchObject([{ release: '0.3.0', schema: 1 }]);

  prepareSchema('f', database);

  expect(database.prepare('select key from object').all()).toHaveLength(1);
});
