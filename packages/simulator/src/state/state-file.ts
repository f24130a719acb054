import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Journal } from './database.ts';
import type { Change, Row } from './table.ts';

/**
 * Stores the cloud in a file of the embedded database. A commit has reached the operating system when it returns, so it
 * survives the killing of the process; only a machine crash can lose the latest commits.
 */
export function openStateFile(path: string): Journal {
  const database = new DatabaseSync(path);
  chmodSync(path, 0o600);
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table if not exists rows (
      sequence integer primary key, kind text not null, id text not null, value text not null, unique (kind, id)
    );
  `);
  const put = database.prepare(
    'insert into rows (kind, id, value) values (?, ?, ?) on conflict (kind, id) do update set value = excluded.value',
  );
  const remove = database.prepare('delete from rows where kind = ? and id = ?');
  return {
    *load() {
      for (const row of database.prepare('select kind, id, value from rows order by sequence').iterate()) {
        yield { table: String(row['kind']), id: String(row['id']), row: JSON.parse(String(row['value'])) as Row };
      }
    },
    write(changes: readonly Change[]) {
      database.exec('begin immediate');
      try {
        for (const { table, id, row } of changes) {
          if (row === undefined) remove.run(table, id);
          else put.run(table, id, JSON.stringify(row));
        }
        database.exec('commit');
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
    },
    close: () => database.close(),
  };
}
