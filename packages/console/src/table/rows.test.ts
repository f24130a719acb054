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
  const searched = ({ name, nodes }: Row) => `${name} ${nodes} nodes`;
  return visibleRows(ROWS, { words, searched, filter, sort, columns: COLUMNS, keyOf, locale: 'en' }).map(keyOf);
}

it.each([
  { words: '', names: ['db', 'web-9', 'web-10'], reason: 'numbers in names count as numbers' },
  { words: 'WEB', names: ['web-9', 'web-10'], reason: 'case does not matter' },
  { words: '3 db', names: ['db'], reason: 'all words have to occur, in any order' },
  { words: '  ', names: ['db', 'web-9', 'web-10'], reason: 'blanks are no words' },
  { words: 'x', names: [], reason: 'nothing matches' },
])('"$words": $reason', ({ words, names }) => {
  expect(shown(words)).toEqual(names);
});

it('orders by numbers, and equal ones by name in the same way each time', () => {
  expect(shown('', { key: 'nodes', direction: 'asc' })).toEqual(['db', 'web-10', 'web-9']);
  expect(shown('', { key: 'nodes', direction: 'desc' })).toEqual(['web-9', 'db', 'web-10']);
});

it('leaves out what a filter does not let in', () => {
  expect(shown('', undefined, ({ nodes }) => nodes > 3)).toEqual(['web-9']);
});
