import { z } from 'zod';
import { printable } from './printable.ts';

/** The printed part of a `meta.k8s.io/v1` Table. */
export const ServerTable = z.object({
  columnDefinitions: z.array(z.object({ name: z.string(), priority: z.number().default(0) })),
  rows: z
    .array(
      z.object({
        cells: z.array(z.unknown()),
        object: z.looseObject({
          metadata: z.object({ name: z.string().default(''), namespace: z.string().optional() }),
        }),
      }),
    )
    .nullish()
    .transform((rows) => rows ?? []),
});
export type ServerTable = z.infer<typeof ServerTable>;

export const ACCEPT_TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

export interface TableForm {
  /** Includes columns with a priority above 0. */
  readonly wide: boolean;
  readonly withNamespace: boolean;
}

/** Rows of text from a server's Table, headers first. */
export function tableRows(table: ServerTable, form: TableForm): string[][] {
  const shown = table.columnDefinitions.flatMap(({ name, priority }, index) =>
    form.wide || priority === 0 ? [{ heading: name.toUpperCase(), index }] : [],
  );
  const headings = shown.map(({ heading }) => heading);
  const rows = table.rows.map(({ cells, object }) => [
    ...(form.withNamespace ? [object.metadata.namespace ?? ''] : []),
    ...shown.map(({ index }) => cellText(cells[index])),
  ]);
  return [[...(form.withNamespace ? ['NAMESPACE'] : []), ...headings], ...rows];
}

/** A cell as in kubectl: empty for null, otherwise only the first line. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const [firstLine = '', ...more] = text.split(/\r?\n/);
  return more.length === 0 ? firstLine : `${firstLine}...`;
}

const COLUMN_GAP = 3;
const MIN_COLUMN_WIDTH = 6;

/** Aligns columns as kubectl does: as wide as the widest cell, three spaces apart. The last one is not padded. */
export function alignColumns(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? MIN_COLUMN_WIDTH, widthOf(cell) + COLUMN_GAP);
    });
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join(''),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Width on a terminal. Names and messages are Latin, so one code point is one column. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
