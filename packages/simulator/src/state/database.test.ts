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
    const things = database.table('things');
    let writtenAtCallback = -1;

    database.transact(() => {
      database.afterCommit(() => {
        writtenAtCallback = journal.written.length;
      });
      things.put({ id: 'x' });
    });

    expect(journal.written).toEqual([[{ table: 'things', id: 'x', row: { id: 'x' } }]]);
    expect(writtenAtCallback).toBe(1);
  });

  it('rolls back work that throws, and does not run its commit callbacks', () => {
    const journal = recordingJournal();
    const database = new Database(journal);
    const things = database.table('things');
    let called = false;

    const work = () =>
      database.transact(() => {
        things.put({ id: 'x' });
        database.afterCommit(() => {
          called = true;
        });
        throw new Error('no');
      });

    expect(work).toThrow('no');
    expect(things.has('x')).toBe(false);
    expect(journal.written).toEqual([]);
    expect(called).toBe(false);
  });

  it('rolls back what the journal could not write', () => {
    const database = new Database({
      ...recordingJournal(),
      write() {
        throw new Error('disk full');
      },
    });
    const things = database.table('things');

    expect(() => database.transact(() => things.put({ id: 'x' }))).toThrow('disk full');
    expect(things.has('x')).toBe(false);
  });

  it('restores a snapshot over existing content', () => {
    const database = new Database();
    const things = database.table('things');
    database.transact(() => things.put({ id: 'a' }));
    const snapshot = database.snapshot();
    database.transact(() => {
      things.delete('a');
      things.put({ id: 'b' });
    });

    database.restore(snapshot);

    expect([...things.values()]).toEqual([{ id: 'a' }]);
  });

  it('loads the journal', () => {
    const database = new Database(recordingJournal());
    const things = database.table('things');

    expect(database.loadJournal()).toBe(true);
    expect(things.has('old')).toBe(true);
  });
});
