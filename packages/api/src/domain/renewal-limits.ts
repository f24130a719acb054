import type { NodePool } from '../kinds/node-pool.ts';

/** How far a pool may be from its size while its nodes are renewed. */
export interface RenewalLimits {
  /** Machines that there may be beyond its size. */
  readonly maxSurge: number;
  /** Nodes that may be missing from its size. */
  readonly maxUnavailable: number;
}

/** With neither a surge nor a gap nothing could ever be renewed: then one node may be missing, as with Deployments. */
export function renewalLimits({ spec }: Pick<NodePool, 'spec'>): RenewalLimits {
  const { maxSurge, maxUnavailable } = spec.upgradeStrategy;
  return { maxSurge, maxUnavailable: maxSurge === 0 ? Math.max(1, maxUnavailable) : maxUnavailable };
}
