import { dump } from 'js-yaml';
import type { OutputFormat } from '../command/options.ts';
import { alignColumns } from './table.ts';

/** A column's heading and cells; `wide` columns are only for `-o wide`. */
export type RowColumn<T> = readonly [heading: string, cell: (row: T) => string, wide?: 'wide'];

/** Formats rows that aren't objects on the server. Pure. */
export function renderRows<T extends { readonly name: string }>(
  rows: readonly T[],
  columns: readonly RowColumn<T>[],
  output: OutputFormat | undefined,
): string {
  if (output === 'json') return `${JSON.stringify(rows, undefined, 4)}\n`;
  if (output === 'yaml') return dump(rows, { lineWidth: -1, noRefs: true });
  if (output === 'name') return rows.map(({ name }) => `${name}\n`).join('');
  const shown = columns.filter(([, , wide]) => wide === undefined || output === 'wide');
  return alignColumns([shown.map(([heading]) => heading), ...rows.map((row) => shown.map(([, cell]) => cell(row)))]);
}
