import { expect, it } from 'vitest';
import type { Column, Sort } from './column.ts';
import { visibleRows } from './rows.ts';

interface Row {
  readonly name: string;
  readonly nodes: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'name', title: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name },
  { key: 'nodes', title: 'Nodes', cell: ({ nodes }) => nodes, sortBy: ({ nodes }) => nodes },
];
const ROWS: readonly Row[] = [
  { name: 'web-10', nodes: 3 },
  { name: 'web-9', nodes: 12 },
  { name: 'db', nodes: 3 },
];

function shown(words: string, sort: Sort = { key: 'name', direction: 'asc' }, filter?: (row: Row) => boolean) {
  const keyOf = ({ name }: Row) => name;
  const searchText = ({ name, nodes }: Row) => `${name} ${nodes} nodes`;
  return visibleRows(ROWS, { words, searchText, filter, sort, columns: COLUMNS, keyOf, locale: 'en' }).map(keyOf);
}

it.each([
  { words: '', names: ['db', 'web-9', 'web-10'], reason: 'compares numbers in names by value' },
  { words: 'WEB', names: ['web-9', 'web-10'], reason: 'ignores case' },
  { words: '3 db', names: ['db'], reason: 'requires all words, in any order' },
  { words: '  ', names: ['db', 'web-9', 'web-10'], reason: 'ignores whitespace' },
  { words: 'x', names: [], reason: 'nothing matches' },
])('"$words": $reason', ({ words, names }) => {
  expect(shown(words)).toEqual(names);
});

it('sorts numerically, and equal rows by name', () => {
  expect(shown('', { key: 'nodes', direction: 'asc' })).toEqual(['db', 'web-10', 'web-9']);
  expect(shown('', { key: 'nodes', direction: 'desc' })).toEqual(['web-9', 'db', 'web-10']);
});

it('omits rows that the filter excludes', () => {
  expect(shown('', undefined, ({ nodes }) => nodes > 3)).toEqual(['web-9']);
});
