import type { SnapshotInfo, SnapshotPolicy } from '../../runtime.ts';

/**
 * When the next snapshot is due, in milliseconds since the epoch. The first is due immediately, so that problems with
 * snapshots become apparent on the first day. A request is satisfied by any snapshot taken at or after the requested
 * time. Pure.
 */
export function nextSnapshotAtMs(
  { intervalMs, requestedAtMs }: SnapshotPolicy,
  newest: SnapshotInfo | undefined,
): number {
  if (newest === undefined) return Number.NEGATIVE_INFINITY;
  const regular = newest.takenAtMs + intervalMs;
  const isRequested = requestedAtMs !== undefined && requestedAtMs > newest.takenAtMs;
  return isRequested ? Math.min(regular, requestedAtMs) : regular;
}

/** Names of the snapshots beyond the number to keep: the oldest ones, but never one that is still needed. Pure. */
export function snapshotsToPrune(
  snapshots: readonly SnapshotInfo[],
  keep: number,
  needed: ReadonlySet<string>,
): readonly string[] {
  return [...snapshots]
    .sort((a, b) => b.takenAtMs - a.takenAtMs)
    .slice(keep)
    .map(({ name }) => name)
    .filter((name) => !needed.has(name));
}
