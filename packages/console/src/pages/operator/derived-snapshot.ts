import { useMemo } from 'react';
import type { Snapshot } from '../../api/resource-store.ts';
import { keyOf, type Stored } from '../../api/resources.ts';

/** Rows made from collections as if they were one: complete when all are, and failed when one has. */
export function useDerivedSnapshot<T extends Stored>(
  rows: readonly T[],
  sources: readonly Pick<Snapshot<never>, 'isComplete' | 'failure'>[],
): Snapshot<T> {
  const isComplete = sources.every((source) => source.isComplete);
  const failure = sources.find((source) => source.failure !== undefined)?.failure;
  return useMemo(
    () => ({ items: rows, byKey: new Map(rows.map((row) => [keyOf(row), row])), isComplete, failure }),
    [rows, isComplete, failure],
  );
}
