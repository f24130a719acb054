import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import type { Column, Sort } from './column.ts';

/** As high as a row is mostly; each that is shown is measured. */
const ROW_PX = 42;
/** Rows beside those that are seen, so that scrolling finds them. */
const OVERSCAN = 12;

export interface VirtualTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Without it rows are in the order that they come in. */
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  /** What takes the place of a row's cells, over the whole width. */
  readonly whole?: (row: T) => ReactNode | undefined;
}

/** A table of which only the rows exist that are seen: ten thousand scroll like ten. Screen readers are told of all. */
export function VirtualTable<T>({ label, columns, rows, keyOf, sort, onSort, whole }: VirtualTableProps<T>) {
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
    // Focusable, so that the keyboard scrolls it too.
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
            const content = whole?.(row);
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

/** Stands for rows that are not there. */
function Spacer({ px, columns }: { readonly px: number; readonly columns: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true" className="fw-spacer">
      <td colSpan={columns} style={{ height: px }} />
    </tr>
  );
}
