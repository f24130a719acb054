import { createHash } from 'node:crypto';
import { EMPTY_POOL } from '../l7/desired-routing.ts';
import { keyOf, type WeightedBackend } from './backend-refs.ts';

/**
 * Name of the pool shared by these backends. Different weights result in a different pool, which receives requests once
 * it is complete. Pure.
 */
export function poolNameOf(backends: readonly WeightedBackend[]): string {
  const [only, ...others] = backends;
  if (only === undefined) return EMPTY_POOL;
  if (others.length === 0) return `pool_${only.namespace}_${only.service}_${only.port}`;
  const shares = backends.map((backend) => `${keyOf(backend)}=${backend.weight}`).toSorted();
  return `pool_shared_${createHash('sha256').update(shares.join(' ')).digest('hex').slice(0, 16)}`;
}
