import { watch } from '@fairway/kube/controller/declaration';
import { ClusterNetworkReconciler } from './cluster-network.ts';
import { clusterKey } from './cluster-object.ts';
import type { StandaloneDeclaration } from './dependencies.ts';

/** The key of the only cluster. */
export const clusterNetworkController: StandaloneDeclaration = {
  name: 'cluster-network',
  concurrency: 1,
  rights: [],
  watches: ({ cluster, clusters, machines }) => [
    watch(clusters),
    watch(machines, () => (clusters.get(clusterKey(cluster))?.status?.network ? [] : [clusterKey(cluster)])),
  ],
  create(shared) {
    const reconciler = new ClusterNetworkReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};
