import { useMemo } from 'react';
import type { Snapshot } from '../../api/resource-store.ts';
import { keyOf, type Stored } from '../../api/resources.ts';

/** Rows made from collections as if they were one: complete when all are, and failed when one has. */
export function useDerivedSnapshot<T extends Stored>(
  rows: readonly T[],
  sources: readonly Pick<Snapshot<never>, 'isComplete' | 'failure' | 'asOfMs'>[],
): Snapshot<T> {
  const isComplete = sources.every((source) => source.isComplete);
  const failure = sources.find((source) => source.failure !== undefined)?.failure;
  const oldestMs = Math.min(...sources.flatMap(({ asOfMs }) => asOfMs ?? []));
  const asOfMs = Number.isFinite(oldestMs) ? oldestMs : undefined;
  return useMemo(() => {
    // Of some of the collections alone, sums and counts would be wrong.
    const items = isComplete ? rows : [];
    return { items, byKey: new Map(items.map((row) => [keyOf(row), row])), isComplete, failure, asOfMs };
  }, [rows, isComplete, failure, asOfMs]);
}
