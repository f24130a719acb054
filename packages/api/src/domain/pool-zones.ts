import type { NodePool } from '../kinds/node-pool.ts';

/**
 * Zones over which a pool's nodes are spread: those in its spec, or those selected when it was created. Empty: the
 * cloud selects a zone for each node.
 */
export function poolZones({ spec, status }: Pick<NodePool, 'spec' | 'status'>): readonly string[] {
  const named = spec.availabilityZones ?? [];
  return named.length > 0 ? named : (status?.zones ?? []);
}
