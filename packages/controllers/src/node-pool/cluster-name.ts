import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { isClusterNameMutable } from '@fairway/api/kinds/node-pool-rules';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { setCondition } from '@fairway/kube/controller/conditions';
import { writeStatus } from '../status-writer.ts';

const CLUSTER_FOUND = {
  type: ConditionType.Ready,
  status: 'False',
  reason: ConditionReason.WaitingForCluster,
  message: 'the cluster was just created',
} as const;

/**
 * Must be called before anything is created for the pool: once its status reports that the cluster was found, the API
 * server rejects changes to `spec.clusterName`. Resolves with the updated pool; rejects with Conflict if the pool has
 * changed in the meantime, in which case the caller must reconcile again.
 */
export async function ensureClusterName(
  client: KubeClient,
  pool: NodePool,
  cluster: Cluster | undefined,
  nowMs: number,
): Promise<NodePool> {
  if (cluster === undefined || pool.metadata.deletionTimestamp !== undefined || !isClusterNameMutable(pool))
    return pool;
  const conditions = setCondition(pool.status?.conditions, CLUSTER_FOUND, nowMs);
  const status = { ...pool.status, conditions: [...conditions] };
  await writeStatus(client.resource(nodePools), pool, status, { ifUnchanged: true });
  return { ...pool, status };
}
