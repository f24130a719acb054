import { describe, expect, it } from 'vitest';
import { Database, type Journal } from './database.ts';
import type { Change } from './table.ts';

function recordingJournal(): Journal & { readonly written: Change[][] } {
  const written: Change[][] = [];
  return {
    written,
    load: () => [{ table: 'things', id: 'old', row: { id: 'old' } }],
    write: (changes) => void written.push([...changes]),
    close() {},
  };
}

describe('Database', () => {
  it('writes a transaction to the journal before it runs commit callbacks', () => {
    const journal = recordingJournal();
    const database = new Database(journal);
    const rowsTable = database.table('things');
    let rowsAtCallback = -1;

    database.transact(() => {
      database.afterCommit(() => {
        rowsAtCallback = journal.written.length;
      });
      rowsTable.put({ id: 'x' });
    });

    expect(journal.written).toEqual([[{ table: 'things', id: 'x', row: { id: 'x' } }]]);
    expect(rowsAtCallback).toBe(1);
  });

  it('rolls back work that throws, and does not run its commit callbacks', () => {
    const journal = recordingJournal();
    const database = new Database(journal);
    const rowsTable = database.table('things');
    let wasCalled = false;

    const work = () =>
      database.transact(() => {
        rowsTable.put({ id: 'x' });
        database.afterCommit(() => {
          wasCalled = true;
        });
        throw new Error('no');
      });

    expect(work).toThrow('no');
    expect(rowsTable.has('x')).toBe(false);
    expect(journal.written).toEqual([]);
    expect(wasCalled).toBe(false);
  });

  it('rolls back what the journal could not write', () => {
    const database = new Database({
      ...recordingJournal(),
      write() {
        throw new Error('disk full');
      },
    });
    const rowsTable = database.table('things');

    expect(() => database.transact(() => rowsTable.put({ id: 'x' }))).toThrow('disk full');
    expect(rowsTable.has('x')).toBe(false);
  });

  it('replaces existing content when it restores a snapshot', () => {
    const database = new Database();
    const rowsTable = database.table('things');
    database.transact(() => rowsTable.put({ id: 'a' }));
    const snapshot = database.snapshot();
    database.transact(() => {
      rowsTable.delete('a');
      rowsTable.put({ id: 'b' });
    });

    database.restore(snapshot);

    expect([...rowsTable.values()]).toEqual([{ id: 'a' }]);
  });

  it('loads the journal', () => {
    const database = new Database(recordingJournal());
    const rowsTable = database.table('things');

    expect(database.loadJournal()).toBe(true);
    expect(rowsTable.has('old')).toBe(true);
  });
});
