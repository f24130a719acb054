import { type Column, type Sort } from './column.ts';

/** Rows that match what is searched for, all words of it, in the order of a column; of equal ones in that of their keys. */
export function shownRows<T>(
  rows: readonly T[],
  {
    words,
    searched,
    filter,
    sort,
    columns,
    keyOf,
    language,
  }: {
    readonly words: string;
    /** Where words are looked for. */
    readonly searched: (row: T) => string;
    readonly filter?: ((row: T) => boolean) | undefined;
    readonly sort: Sort;
    readonly columns: readonly Column<T>[];
    readonly keyOf: (row: T) => string;
    readonly language: string;
  },
): readonly T[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matching = rows.filter((row) => {
    if (filter?.(row) === false) return false;
    if (wanted.length === 0) return true;
    const text = searched(row).toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const sortBy = columns.find(({ key }) => key === sort.key)?.sortBy;
  const collator = new Intl.Collator(language, { numeric: true });
  const sign = sort.direction === 'asc' ? 1 : -1;
  // Keys are made once, not for each comparison.
  const keyed = matching.map((row) => ({ row, by: sortBy?.(row) ?? '', key: keyOf(row) }));
  keyed.sort((a, b) => sign * compare(a.by, b.by, collator) || collator.compare(a.key, b.key));
  return keyed.map(({ row }) => row);
}

function compare(a: string | number, b: string | number, collator: Intl.Collator): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
