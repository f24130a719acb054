import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { upperBound } from '../kinds/node-pool-rules.ts';
import { isHibernationWanted } from './hibernation.ts';

/** The fewest and the most nodes of a pool. */
export function poolBounds({ spec }: Pick<NodePool, 'spec'>): { readonly min: number; readonly max: number } {
  return { min: spec.minReplicas, max: upperBound(spec) };
}

/**
 * How many nodes a pool is to have, without those that are there only while others are renewed. Everybody asks here, not `spec.replicas`, which with
 * autoscaling is the first size alone. `cluster`: a hibernated one has none; it is left out where the size counts that the pool has when awake, as for limits,
 * quotas and whoever changes that size.
 */
export function wantedReplicas(pool: Pick<NodePool, 'spec' | 'status'>, cluster?: Pick<Cluster, 'status'>): number {
  if (isHibernationWanted(cluster)) return 0;
  const { spec, status } = pool;
  if (!spec.autoscaling.enabled) return spec.replicas;
  const { min, max } = poolBounds(pool);
  return Math.min(Math.max(status?.autoscaling?.replicas ?? spec.replicas, min), max);
}
