import { NODE_POOL_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';

/**
 * Whether the pool has made the machine. By owner, not by name: a pool that was deleted and made again does not take its predecessor's machines. Whoever
 * deletes a pool with `propagationPolicy: Orphan` has the owner references taken off, not the label; machines of earlier releases have no label.
 */
export function isMachineOf(pool: NodePool, { metadata }: Machine): boolean {
  const poolUid = metadata.labels?.[NODE_POOL_UID_LABEL];
  if (poolUid !== undefined) return poolUid === identityOf(pool);
  return metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid) ?? false;
}
