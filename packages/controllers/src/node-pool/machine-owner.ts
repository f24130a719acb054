import { CLUSTER_LABEL, NODE_POOL_LABEL, NODE_POOL_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';

/**
 * Whether the pool created the machine. Determined by owner, not by name: a pool that was deleted and recreated does
 * not adopt its predecessor's machines. Deleting a pool with `propagationPolicy: Orphan` removes the owner references,
 * not the label; machines from earlier releases have no label.
 */
export function isMachineOf(pool: NodePool, { metadata }: Machine): boolean {
  const poolUid = metadata.labels?.[NODE_POOL_UID_LABEL];
  if (poolUid !== undefined) return poolUid === identityOf(pool);
  return metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid) ?? false;
}

/** The pool's machines from the API server. Rejects with the API's error. */
export async function liveMachinesOf(
  client: KubeClient,
  pool: NodePool,
  signal: AbortSignal,
): Promise<readonly Machine[]> {
  const { namespace } = pool.metadata;
  const labelSelector = `${CLUSTER_LABEL}=${pool.spec.clusterName},${NODE_POOL_LABEL}=${pool.metadata.name}`;
  const options = { labelSelector, signal, ...(namespace !== undefined && { namespace }) };
  try {
    const { items } = await client.resource(machines).list(options);
    return items.filter((machine) => isMachineOf(pool, machine));
  } catch (error) {
    if (isApiError(error, 'NotFound')) return [];
    throw error;
  }
}
