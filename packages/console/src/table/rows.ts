import { type Column, type Sort } from './column.ts';

/** Rows that match all search terms, sorted by a column, then by key. */
export function visibleRows<T>(
  rows: readonly T[],
  {
    words,
    searchText,
    filter,
    sort,
    columns,
    keyOf,
    locale,
  }: {
    readonly words: string;
    /** The searched text of a row. */
    readonly searchText: (row: T) => string;
    readonly filter?: ((row: T) => boolean) | undefined;
    readonly sort: Sort;
    readonly columns: readonly Column<T>[];
    readonly keyOf: (row: T) => string;
    readonly locale: string;
  },
): readonly T[] {
  const searchWords = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matchingRows = rows.filter((row) => {
    if (filter?.(row) === false) return false;
    if (searchWords.length === 0) return true;
    const text = searchText(row).toLowerCase();
    return searchWords.every((word) => text.includes(word));
  });
  const sortBy = columns.find(({ key }) => key === sort.key)?.sortBy;
  const collator = new Intl.Collator(locale, { numeric: true });
  const sign = sort.direction === 'asc' ? 1 : -1;
  // Computes sort keys once, not for each comparison.
  const keyedRows = matchingRows.map((row) => ({ row, by: sortBy?.(row) ?? '', key: keyOf(row) }));
  keyedRows.sort((a, b) => sign * compare(a.by, b.by, collator) || collator.compare(a.key, b.key));
  return keyedRows.map(({ row }) => row);
}

function compare(a: string | number, b: string | number, collator: Intl.Collator): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
