import { describe, expect, it } from 'vitest';
import { Table } from './table.ts';

interface Pet {
  readonly id: string;
  readonly owner: string;
}

function petTable() {
  const table = new Table<Pet>('pets');
  const byOwner = table.indexBy((pet) => pet.owner);
  table.put({ id: 'a', owner: 'ann' });
  table.put({ id: 'b', owner: 'bob' });
  table.commit();
  return { table, byOwner };
}

describe('Table', () => {
  it('collects changes, except for rows that were created and deleted since the last commit', () => {
    const { table } = petTable();

    table.put({ id: 'a', owner: 'bob' });
    table.delete('b');
    table.put({ id: 'c', owner: 'ann' });
    table.delete('c');

    expect(table.changes()).toEqual([
      { table: 'pets', id: 'a', row: { id: 'a', owner: 'bob' } },
      { table: 'pets', id: 'b' },
    ]);
    table.commit();
    expect(table.changes()).toEqual([]);
  });

  it('rolls back rows and indexes', () => {
    const { table, byOwner } = petTable();

    table.put({ id: 'a', owner: 'bob' });
    table.delete('b');
    table.put({ id: 'c', owner: 'bob' });
    table.rollBack();

    expect([...table.values()]).toEqual([
      { id: 'a', owner: 'ann' },
      { id: 'b', owner: 'bob' },
    ]);
    expect(byOwner.of('bob')).toEqual([{ id: 'b', owner: 'bob' }]);
    expect(byOwner.of('ann')).toEqual([{ id: 'a', owner: 'ann' }]);
  });

  it("updates the index when a row's key changes", () => {
    const { table, byOwner } = petTable();

    table.put({ id: 'a', owner: 'bob' });

    expect(byOwner.of('ann')).toEqual([]);
    expect(byOwner.of('bob').map((pet) => pet.id)).toEqual(['b', 'a']);
  });
});
