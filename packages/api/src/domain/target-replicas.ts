import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { upperBound } from '../kinds/pool-bounds.ts';
import { shouldHaveNoNodes } from './reset.ts';

export interface PoolBounds {
  readonly min: number;
  readonly max: number;
  /** Human-readable source: empty, or ` by schedule night until 2026-11-23T06:00:00Z`. */
  readonly by: string;
}

/**
 * The current minimum and maximum number of nodes in a pool. With schedules, these are the bounds that its controller
 * has written to `status.bounds`, so all components see the same limits at the same time regardless of their clocks,
 * and get a watch event when they change.
 */
export function poolBounds({ spec, status }: Pick<NodePool, 'spec' | 'status'>): PoolBounds {
  const { enabled, schedules = [] } = spec.autoscaling;
  const scheduled = enabled && schedules.length > 0 ? status?.bounds : undefined;
  if (scheduled === undefined) return { min: spec.minReplicas, max: upperBound(spec), by: '' };
  const { minReplicas: min, maxReplicas: max, schedule, nextChange } = scheduled;
  const until = nextChange === undefined ? '' : ` until ${nextChange.time}`;
  return { min, max, by: schedule === undefined ? '' : ` by schedule ${schedule}${until}` };
}

/**
 * The desired number of nodes in a pool, without temporary nodes during updates. Use this instead of `spec.replicas`,
 * which is only the initial size if the pool is autoscaled. `cluster`: a cluster that is hibernated or being reset has
 * no nodes. Omit it to get the size when awake, as needed for limits, quotas and changes to that size.
 */
export function targetReplicas(pool: Pick<NodePool, 'spec' | 'status'>, cluster?: Pick<Cluster, 'status'>): number {
  if (shouldHaveNoNodes(cluster)) return 0;
  const { spec, status } = pool;
  if (!spec.autoscaling.enabled) return spec.replicas;
  const { min, max } = poolBounds(pool);
  return Math.min(Math.max(status?.autoscaling?.replicas ?? spec.replicas, min), max);
}
