import type { NodePool } from '../kinds/node-pool.ts';
import { wantedReplicas } from './wanted-replicas.ts';

/** Total nodes that the pools request. */
export function sumOfReplicas(pools: readonly NodePool[]): number {
  return pools.reduce((sum, pool) => sum + wantedReplicas(pool), 0);
}

/**
 * How many of its replicas a pool gets within a plan's `maxNodes`; `pools` are those of its cluster, including itself: oldest first, then by
 * name. A pool that is being deleted counts with its remaining machines.
 */
export function grantedReplicas(pool: NodePool, pools: readonly NodePool[], maxNodes: number): number {
  let left = maxNodes;
  for (const candidate of pools.toSorted(byAge)) {
    const { deletionTimestamp, uid } = candidate.metadata;
    const wanted = deletionTimestamp === undefined ? wantedReplicas(candidate) : (candidate.status?.replicas ?? 0);
    if (uid === pool.metadata.uid) break;
    left -= Math.min(wanted, left);
  }
  return Math.min(wantedReplicas(pool), left);
}

function byAge({ metadata: left }: NodePool, { metadata: right }: NodePool): number {
  const order = (left.creationTimestamp ?? '').localeCompare(right.creationTimestamp ?? '');
  return order === 0 ? (left.name ?? '').localeCompare(right.name ?? '') : order;
}
