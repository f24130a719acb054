import type { NodePool } from '../kinds/node-pool.ts';

/** How far a pool may be from its size while its nodes are renewed. */
export interface RenewalLimits {
  /** Machines that there may be beyond its size. */
  readonly maxSurge: number;
  /** Nodes that may be missing from its size. */
  readonly maxUnavailable: number;
}

/**
 * The limits of a pool of `size` nodes, rounded as Deployments do: more nodes up, fewer ones down. With neither a surge nor a gap nothing could ever be
 * renewed: then one node may be missing.
 */
export function renewalLimits({ spec }: Pick<NodePool, 'spec'>, size: number): RenewalLimits {
  const maxSurge = nodesOf(spec.upgradeStrategy.maxSurge, size, Math.ceil);
  const maxUnavailable = nodesOf(spec.upgradeStrategy.maxUnavailable, size, Math.floor);
  return { maxSurge, maxUnavailable: maxSurge === 0 ? Math.max(1, maxUnavailable) : maxUnavailable };
}

function nodesOf(value: number | string, size: number, round: (nodes: number) => number): number {
  return typeof value === 'number' ? value : round((Number(value.slice(0, -1)) * size) / 100);
}
