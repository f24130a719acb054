import { useMemo } from 'react';
import type { Snapshot } from '../../api/resource-store.ts';
import { keyOf, type StoredObject } from '../../api/resources.ts';

/**
 * Rows derived from several collections, presented as one: complete when all of them are, and failed if any of them has
 * failed.
 */
export function useDerivedSnapshot<T extends StoredObject>(
  rows: readonly T[],
  sources: readonly Pick<Snapshot<never>, 'isComplete' | 'failure' | 'asOfMs'>[],
): Snapshot<T> {
  const isComplete = sources.every((source) => source.isComplete);
  const failure = sources.find((source) => source.failure !== undefined)?.failure;
  const oldestMs = Math.min(...sources.flatMap(({ asOfMs }) => asOfMs ?? []));
  const asOfMs = Number.isFinite(oldestMs) ? oldestMs : undefined;
  return useMemo(() => {
    // Totals of incomplete collections would be wrong.
    const items = isComplete ? rows : [];
    return { items, byKey: new Map(items.map((row) => [keyOf(row), row])), isComplete, failure, asOfMs };
  }, [rows, isComplete, failure, asOfMs]);
}
