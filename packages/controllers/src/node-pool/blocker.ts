import { ConditionReason } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';

/** Why the pool cannot have machines yet; undefined if nothing prevents it. */
export function blockerOf(
  pool: NodePool,
  cluster: Cluster | undefined,
  cloud: ProjectCloud | undefined,
): Problem | undefined {
  if (cluster === undefined) {
    const message = `spec.clusterName: namespace ${pool.metadata.namespace} has no cluster ${pool.spec.clusterName}; create it, or correct the name`;
    return { reason: ConditionReason.ClusterNotFound, message };
  }
  if (cluster.metadata.deletionTimestamp !== undefined) {
    return { reason: ConditionReason.Deleting, message: 'the cluster is being deleted' };
  }
  if (cloud === undefined) {
    const message = `namespace ${pool.metadata.namespace} has no cloud; the operator must set its annotation fairway.dev/cloud`;
    return { reason: ConditionReason.ConfigurationInvalid, message };
  }
  if (cluster.status?.version === undefined) {
    return { reason: ConditionReason.WaitingForCluster, message: 'the control plane of the cluster is not ready yet' };
  }
  return undefined;
}
