import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { upperBound } from '../kinds/pool-bounds.ts';
import { isWithoutNodes } from './reset.ts';

export interface PoolBounds {
  readonly min: number;
  readonly max: number;
  /** Where they come from, for people: empty, or ` by schedule night until 2026-11-23T06:00:00Z`. */
  readonly by: string;
}

/**
 * The fewest and the most nodes of a pool now. Where it has schedules, those that its controller has written to `status.bounds`: so everybody sees the same ones at
 * the same time, whatever their clocks say, and is told of a change as of any other.
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
 * How many nodes a pool is to have, without those that are there only while others are renewed. Everybody asks here, not `spec.replicas`, which with
 * autoscaling is the first size alone. `cluster`: one that hibernates or is being reset has none; it is left out where the size counts that the pool has when awake, as for limits,
 * quotas and whoever changes that size.
 */
export function wantedReplicas(pool: Pick<NodePool, 'spec' | 'status'>, cluster?: Pick<Cluster, 'status'>): number {
  if (isWithoutNodes(cluster)) return 0;
  const { spec, status } = pool;
  if (!spec.autoscaling.enabled) return spec.replicas;
  const { min, max } = poolBounds(pool);
  return Math.min(Math.max(status?.autoscaling?.replicas ?? spec.replicas, min), max);
}
