import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** The sort key; a column without a key cannot be sorted. */
  readonly sortBy?: (row: T) => string | number;
  /** Share of the width: 10 to 50 percent. */
  readonly width?: 10 | 15 | 20 | 25 | 30 | 35 | 40 | 45 | 50;
}

export interface Sort {
  /** Key of the column. */
  readonly key: string;
  readonly direction: 'asc' | 'desc';
}
