import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { UsageRecord } from '@fairway/api/kinds/usage-record';

/** `move`: to Fairway's own namespace. `check`: end the record unless its cluster exists at the API server. */
export type RecordStep =
  | { readonly action: 'none' | 'move' | 'delete' | 'check' }
  | { readonly action: 'wait'; readonly waitMs: number };

export interface RecordFacts {
  /** The Cluster with the name in the record, from the cache. */
  readonly cluster: Cluster | undefined;
  /** All records for Clusters with that name. */
  readonly records: readonly UsageRecord[];
  readonly nowMs: number;
  readonly retentionMs: number;
}

/** Decides what to do with a record, apart from the usage of its cluster. Pure. */
export function recordStep(record: UsageRecord, { cluster, records, nowMs, retentionMs }: RecordFacts): RecordStep {
  if (record.metadata.deletionTimestamp !== undefined) return { action: 'move' };
  // It was restored twice: both records contain the same seconds.
  if (hasOutlived(record, records)) return { action: 'delete' };
  const endedMs = Date.parse(record.status?.endedTime ?? '');
  if (Number.isNaN(endedMs)) {
    return { action: cluster && identityOf(cluster) === record.spec.clusterUID ? 'none' : 'check' };
  }
  const waitMs = endedMs + retentionMs - nowMs;
  return waitMs > 0 ? { action: 'wait', waitMs } : { action: 'delete' };
}

/** Whether a record of the same cluster has outlived its namespace. */
function hasOutlived({ metadata, spec }: UsageRecord, records: readonly UsageRecord[]): boolean {
  if (metadata.namespace === SYSTEM_NAMESPACE) return false;
  const isLater = (other: UsageRecord) => other.metadata.namespace === SYSTEM_NAMESPACE && other.status !== undefined;
  return records.some((other) => other.spec.clusterUID === spec.clusterUID && isLater(other));
}

/** Of two records, returns the one that outlives the namespace. Pure. */
export function recordOf(records: readonly UsageRecord[], cluster: Cluster): UsageRecord | undefined {
  const own = records.filter(({ spec }) => spec.clusterUID === identityOf(cluster));
  return own.find(({ metadata, spec }) => metadata.namespace !== spec.namespace) ?? own[0];
}
