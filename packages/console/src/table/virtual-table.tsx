import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import type { Column, Sort } from './column.ts';

/** The usual height of a row; displayed rows are measured. */
const ROW_PX = 42;
/** Rows rendered outside the viewport, so that scrolling shows no gaps. */
const OVERSCAN = 12;

export interface VirtualTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** If undefined, rows keep their order. */
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  /** Replaces a row's cells, across the whole width. */
  readonly renderFullRow?: (row: T) => ReactNode | undefined;
}

/**
 * A table that renders only visible rows, so ten thousand rows scroll as smoothly as ten. Screen readers announce the
 * total.
 */
export function VirtualTable<T>({ label, columns, rows, keyOf, sort, onSort, renderFullRow }: VirtualTableProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => keyOf(rows[index] as T),
    overscan: OVERSCAN,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.start ?? 0;
  const last = shown.at(-1)?.end ?? 0;
  const sorted = columns.findIndex(({ key }) => key === sort?.key);
  return (
    // Focusable, so that the keyboard can scroll it.
    <div ref={scroller} className="fw-table" role="region" aria-label={label} tabIndex={0}>
      <Table
        aria-label={label}
        aria-rowcount={rows.length + 1}
        variant="compact"
        isStickyHeader
        gridBreakPoint="grid-md"
      >
        <Thead>
          <Tr aria-rowindex={1}>
            {columns.map(({ key, title, sortBy, width }, index) => (
              <Th
                key={key}
                modifier="nowrap"
                {...(width && { width })}
                {...(sortBy &&
                  sort &&
                  onSort && {
                    sort: {
                      columnIndex: index,
                      sortBy: { index: sorted, direction: sort.direction },
                      onSort: (_event: unknown, _index: number, direction: Sort['direction']) =>
                        onSort({ key, direction }),
                    },
                  })}
              >
                {title}
              </Th>
            ))}
          </Tr>
        </Thead>
        <Tbody>
          <Spacer px={first} columns={columns.length} />
          {shown.map(({ index, key }) => {
            const row = rows[index] as T;
            const content = renderFullRow?.(row);
            return (
              <Tr key={key} ref={virtual.measureElement} data-index={index} aria-rowindex={index + 2}>
                {content !== undefined && <Td colSpan={columns.length}>{content}</Td>}
                {(content === undefined ? columns : []).map(({ key: column, title, cell }) => (
                  <Td key={column} dataLabel={title}>
                    {cell(row)}
                  </Td>
                ))}
              </Tr>
            );
          })}
          <Spacer px={virtual.getTotalSize() - last} columns={columns.length} />
        </Tbody>
      </Table>
    </div>
  );
}

/** Takes the space of rows that are not rendered. */
function Spacer({ px, columns }: { readonly px: number; readonly columns: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true" className="fw-spacer">
      <td colSpan={columns} style={{ height: px }} />
    </tr>
  );
}
