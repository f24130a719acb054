import { type Column, type Sort } from './column.ts';

/** Rows that match all search terms, sorted by a column, then by key. */
export function visibleRows<T>(
  rows: readonly T[],
  {
    words,
    searched,
    filter,
    sort,
    columns,
    keyOf,
    locale,
  }: {
    readonly words: string;
    /** The searched text of a row. */
    readonly searched: (row: T) => string;
    readonly filter?: ((row: T) => boolean) | undefined;
    readonly sort: Sort;
    readonly columns: readonly Column<T>[];
    readonly keyOf: (row: T) => string;
    readonly locale: string;
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
  const collator = new Intl.Collator(locale, { numeric: true });
  const sign = sort.direction === 'asc' ? 1 : -1;
  // Computes sort keys once, not for each comparison.
  const keyed = matching.map((row) => ({ row, by: sortBy?.(row) ?? '', key: keyOf(row) }));
  keyed.sort((a, b) => sign * compare(a.by, b.by, collator) || collator.compare(a.key, b.key));
  return keyed.map(({ row }) => row);
}

function compare(a: string | number, b: string | number, collator: Intl.Collator): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
