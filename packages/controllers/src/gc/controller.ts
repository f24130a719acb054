import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { ConfigMaps, Secrets } from '@fairway/kube/kinds/resources';
import { clustersByIdentity, machinesByIdentity, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { isPauseChanged } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { deletedByCluster, deletedByNamespace, deletedClusterInformer } from './deleted-cluster-record.ts';
import { OrphanSweeper } from './orphan-sweeper.ts';

/** Deletes cloud resources of clusters whose owner no longer exists. Keyed by Cluster, existing or deleted. */
export const orphanSweepController: Declaration = {
  name: 'orphan-sweeper',
  concurrency: 2,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
    { type: nodePools, verbs: READ },
    { type: Secrets, namespace: SYSTEM_NAMESPACE, verbs: ['list'] },
    // Records of deleted clusters.
    { type: ConfigMaps, namespace: SYSTEM_NAMESPACE, verbs: [...READ, 'delete'] },
  ],
  indexes: ({ cache, informers }) => [
    indexOn(cache.clusters, clustersByIdentity),
    indexOn(cache.machines, machinesByIdentity),
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(deletedClusterInformer(informers), deletedByCluster),
    indexOn(deletedClusterInformer(informers), deletedByNamespace),
  ],
  watches: ({ cache, informers }) => [
    watch(cache.clusters, undefined, { isRelevant: isPauseChanged }),
    watch(deletedClusterInformer(informers), deletedByCluster.valuesOf),
  ],
  create(shared) {
    const sweeper = new OrphanSweeper(shared, deletedClusterInformer(shared.informers));
    return {
      reconcile: (key, context) => sweeper.reconcile(key, context),
      forget: (isMatching) => sweeper.forget(isMatching),
    };
  },
  listen(enqueue, { cache, clouds }) {
    clouds.onProject((cloud) =>
      cloud.cache.servers.subscribe(({ added }) => {
        for (const uid of new Set(added.map((server) => serverOwner(server)?.clusterUid))) {
          if (uid === undefined) continue;
          for (const cluster of cache.clusters.find(clustersByIdentity, uid)) enqueue(keyOf(cluster));
        }
      }),
    );
    // A server that no list contained while its machine was being deleted.
    cache.machines.addHandler({ onDelete: (machine) => enqueue(clusterKeyOf(machine)) });
  },
};
