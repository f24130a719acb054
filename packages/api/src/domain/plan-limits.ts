import type { NodePool } from '../kinds/node-pool.ts';
import { targetReplicas } from './target-replicas.ts';

/** The total number of nodes that the pools request. */
export function sumOfReplicas(pools: readonly NodePool[]): number {
  return pools.reduce((sum, pool) => sum + targetReplicas(pool), 0);
}

/**
 * Number of replicas that a pool gets within a plan's `maxNodes`. `pools` are all pools in its cluster, including this
 * one; older pools come first, and pools of the same age are ordered by name. A pool that is being deleted counts with
 * its remaining machines.
 */
export function grantedReplicas(pool: NodePool, pools: readonly NodePool[], maxNodes: number): number {
  let left = maxNodes;
  for (const candidate of pools.toSorted(compareByAge)) {
    const { deletionTimestamp, uid } = candidate.metadata;
    const desired = deletionTimestamp === undefined ? targetReplicas(candidate) : (candidate.status?.replicas ?? 0);
    if (uid === pool.metadata.uid) break;
    left -= Math.min(desired, left);
  }
  return Math.min(targetReplicas(pool), left);
}

function compareByAge({ metadata: left }: NodePool, { metadata: right }: NodePool): number {
  const order = (left.creationTimestamp ?? '').localeCompare(right.creationTimestamp ?? '');
  return order === 0 ? (left.name ?? '').localeCompare(right.name ?? '') : order;
}
