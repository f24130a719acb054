import { expect, test } from 'vitest';
import { alignColumns, ServerTable, tableRows } from './table.ts';

const table = ServerTable.parse({
  columnDefinitions: [{ name: 'Name' }, { name: 'Max nodes', priority: 0 }, { name: 'Server', priority: 1 }],
  rows: [
    { cells: ['demo', 3, 'abc'], object: { metadata: { name: 'demo', namespace: 'team' } } },
    { cells: ['longer-name', null, 'two\nlines'], object: { metadata: { name: 'longer-name', namespace: 'b' } } },
  ],
});

test('lays out columns as kubectl does', () => {
  expect(alignColumns(tableRows(table, { wide: false, withNamespace: false }))).toBe(
    ['NAME          MAX NODES', 'demo          3', 'longer-name   ', ''].join('\n'),
  );
});

test('adds columns of lower priority for wide, and the namespace for all namespaces', () => {
  expect(tableRows(table, { wide: true, withNamespace: true })).toEqual([
    ['NAMESPACE', 'NAME', 'MAX NODES', 'SERVER'],
    ['team', 'demo', '3', 'abc'],
    ['b', 'longer-name', '', 'two...'],
  ]);
});

test('makes no column narrower than kubectl does', () => {
  expect(
    alignColumns([
      ['A', 'B'],
      ['1', '2'],
    ]),
  ).toBe('A     B\n1     2\n');
});
