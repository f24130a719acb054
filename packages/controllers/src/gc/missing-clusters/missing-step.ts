import type { CaSecretRecord } from './missing-clusters.ts';

/**
 * `mark`: record on the CA Secret that the Cluster is missing from now on, then wait. `hold`: do not touch its
 * resources.
 */
export type MissingStep =
  | { readonly action: 'hold' | 'delete' }
  | { readonly action: 'mark' | 'wait'; readonly waitMs: number };

/** Decides what to do about a CA Secret that has no Cluster according to the API server. Pure. */
export function missingStep(record: CaSecretRecord, nowMs: number, graceMs: number): MissingStep {
  if (record.isHeld) return { action: 'hold' };
  const leftMs = remainingMs(record, nowMs, graceMs);
  if (leftMs === undefined) return { action: 'mark', waitMs: graceMs };
  return leftMs > 0 ? { action: 'wait', waitMs: leftMs } : { action: 'delete' };
}

/**
 * How much of the grace period is left; undefined if the Cluster has not been found missing before. If the clock was
 * set back, the wait is still limited to the grace period. Pure.
 */
export function remainingMs(
  { missingSinceMs }: Pick<CaSecretRecord, 'missingSinceMs'>,
  nowMs: number,
  graceMs: number,
): number | undefined {
  return missingSinceMs === undefined ? undefined : Math.min(missingSinceMs + graceMs - nowMs, graceMs);
}
