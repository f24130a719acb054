import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import { cloudTimeMs } from '@fairway/openstack/types/cloud-time';
import type { FoundResources } from './missing-clusters/remaining-resources.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * When to check, after the deletion of a cluster, for resources from requests that took effect too late: soon, then
 * less and less often.
 */
const SWEEP_DELAYS_MS: readonly number[] = [10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS];

/** How long the record of a deleted cluster is retained. */
export const RECORD_RETENTION_MS = Math.max(...SWEEP_DELAYS_MS);

/**
 * How late a request from Fairway may take effect. Resources created later come from another Fairway installation that
 * now owns the cluster.
 */
const MAX_REQUEST_DELAY_MS = HOUR_MS;

/** Maximum number of records in a namespace: creating and deleting clusters all day must not fill the database. */
export const MAX_RECORDS = 200;

/**
 * When to check next for resources of a cluster that was deleted at `endedMs`: the first check that is still ahead;
 * undefined after the last one. Pure.
 */
export function nextSweepMs(endedMs: number, nowMs: number): number | undefined {
  return SWEEP_DELAYS_MS.map((afterMs) => endedMs + afterMs).find((sweepMs) => sweepMs > nowMs);
}

/** `hold`: not deleted but reported, because another Fairway installation may own it. */
export type OrphanAction = 'nothing' | 'delete' | 'report' | 'hold';

/**
 * Decides what to do with resources that have the tag of a deleted cluster. A resource created long after the deletion
 * is not the result of a late request: another Fairway that has restored the same cluster created it. In that case,
 * none of the cluster's resources are touched. Pure.
 */
export function orphanAction(remaining: FoundResources, endedMs: number, policy: OrphanPolicy): OrphanAction {
  const found = [...remaining.values()].flat();
  if (found.length === 0) return 'nothing';
  if (found.some((each) => (cloudTimeMs(each.createdAt) ?? endedMs) > endedMs + MAX_REQUEST_DELAY_MS)) return 'hold';
  return policy === 'Delete' ? 'delete' : 'report';
}

/** The records of a namespace to delete, the oldest first. Pure. */
export function recordsBeyondLimit<T extends { readonly endedMs: number }>(records: readonly T[]): readonly T[] {
  return records.toSorted((a, b) => b.endedMs - a.endedMs).slice(MAX_RECORDS);
}
