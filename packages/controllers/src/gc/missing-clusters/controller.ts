import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { ConfigMaps, Secrets } from '@fairway/kube/kinds/resources';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import type { Declaration } from '../../dependencies.ts';
import { MissingClusterGC } from './cluster-gc.ts';
import { caSecretInformer, caSecretsByCluster } from './missing-clusters.ts';

/**
 * Deletes the remaining resources of clusters whose Cluster was removed without Fairway's finalizer. Keyed by Cluster.
 */
export const missingClusterController: Declaration = {
  name: 'vanished-cluster',
  concurrency: 2,
  rights: [
    { type: clusters, verbs: READ },
    { type: cloudCredentials, verbs: READ },
    // The metadata of CA Secrets identifies clusters whose Cluster is missing.
    { type: Secrets, namespace: SYSTEM_NAMESPACE, verbs: [...READ, 'patch'] },
    // Records of deleted clusters.
    { type: ConfigMaps, namespace: SYSTEM_NAMESPACE, verbs: ['get', 'create', 'update'] },
  ],
  indexes: ({ cache, informers }) => [
    indexOn(cache.clusters, clustersByIdentity),
    indexOn(caSecretInformer(informers), caSecretsByCluster),
  ],
  watches: ({ cache, informers }) => [
    watch(caSecretInformer(informers), caSecretsByCluster.valuesOf),
    // That annotation changes often, but has no effect here.
    watch(cache.clusters, undefined, { isRelevant: () => false }),
  ],
  create(shared) {
    const sweeper = new MissingClusterGC(shared, caSecretInformer(shared.informers));
    return {
      reconcile: (key, context) => sweeper.reconcile(key, context),
      forget: (isMatching) => sweeper.forget(isMatching),
    };
  },
};
