import type { NodePool } from '../kinds/node-pool.ts';

/** How many nodes a pool is to have, without those that are there only while others are renewed. Everybody asks here, not `spec.replicas`. */
export function wantedReplicas({ spec }: Pick<NodePool, 'spec' | 'status'>): number {
  return spec.replicas;
}
