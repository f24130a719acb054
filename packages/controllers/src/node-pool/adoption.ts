import { CLUSTER_LABEL, CLUSTER_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { controllerRef } from '@fairway/kube/controller/owners';

/** Sets the owner reference and labels of the pool's cluster, once. Resolves with the updated pool; rejects with the API's error. */
export async function adoptPool(client: KubeClient, pool: NodePool, cluster: Cluster | undefined): Promise<NodePool> {
  const { name = '', namespace, uid, labels, ownerReferences, deletionTimestamp } = pool.metadata;
  if (cluster === undefined || deletionTimestamp !== undefined) return pool;
  const identity = identityOf(cluster);
  const isAdopted =
    labels?.[CLUSTER_UID_LABEL] === identity && ownerReferences?.some((owner) => owner.uid === cluster.metadata.uid);
  if (isAdopted) return pool;
  const value = {
    metadata: {
      uid,
      labels: { [CLUSTER_LABEL]: cluster.metadata.name, [CLUSTER_UID_LABEL]: identity },
      ownerReferences: [controllerRef(cluster, clusters)],
    },
  };
  const where = namespace === undefined ? {} : { namespace };
  return client.resource(nodePools).patch(name, { type: 'merge', value }, where);
}
