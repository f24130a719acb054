import type { NodePool } from '../kinds/node-pool.ts';

/** How far a pool may deviate from its size during a rollout. */
export interface RolloutLimits {
  /** Maximum number of machines beyond the pool's size. */
  readonly maxSurge: number;
  /** Maximum number of missing nodes. */
  readonly maxUnavailable: number;
}

/**
 * The limits for a pool of `size` nodes, rounded as in Deployments: surge up, unavailable down. If both were 0, nothing
 * could ever be replaced, so one node may be unavailable.
 */
export function rolloutLimits({ spec }: Pick<NodePool, 'spec'>, size: number): RolloutLimits {
  const maxSurge = nodesOf(spec.upgradeStrategy.maxSurge, size, Math.ceil);
  const maxUnavailable = nodesOf(spec.upgradeStrategy.maxUnavailable, size, Math.floor);
  return { maxSurge, maxUnavailable: maxSurge === 0 ? Math.max(1, maxUnavailable) : maxUnavailable };
}

function nodesOf(value: number | string, size: number, round: (nodes: number) => number): number {
  return typeof value === 'number' ? value : round((Number(value.slice(0, -1)) * size) / 100);
}
