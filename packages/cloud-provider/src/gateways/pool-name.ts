import { createHash } from 'node:crypto';
import { NOWHERE } from '../l7/desired-routing.ts';
import { keyOf, type WeightedBackend } from './backend-refs.ts';

/** Of the pool that these share. Other shares make another pool, to which requests are sent when it is whole. Pure. */
export function poolNameOf(backends: readonly WeightedBackend[]): string {
  const [only, ...others] = backends;
  if (only === undefined) return NOWHERE;
  if (others.length === 0) return `pool_${only.namespace}_${only.service}_${only.port}`;
  const shares = backends.map((backend) => `${keyOf(backend)}=${backend.weight}`).toSorted();
  return `pool_shared_${createHash('sha256').update(shares.join(' ')).digest('hex').slice(0, 16)}`;
}
