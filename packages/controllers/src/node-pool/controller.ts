import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { machinesByPool, poolKeyOf, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { isClusterRelevant } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { ownedByCluster } from '../owner-key.ts';
import { NodePoolReconciler } from './reconciler.ts';

export const nodePoolController: Declaration = {
  name: 'node-pool',
  concurrency: 20,
  rights: [
    { type: nodePools, verbs: [...READ, 'patch'] },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
    { type: machines, verbs: [...READ, 'create', 'patch', 'delete'] },
    // To name an owner that waits for what it owns.
    { type: clusters, subresource: 'finalizers', verbs: ['update'] },
    { type: nodePools, subresource: 'finalizers', verbs: ['update'] },
  ],
  indexes: ({ cache }) => [indexOn(cache.nodePools, poolsByCluster), indexOn(cache.machines, machinesByPool)],
  watches: ({ cache }) => [
    watch(cache.nodePools),
    watch(cache.machines, (machine) => [poolKeyOf(machine)]),
    watch(cache.clusters, (cluster) => cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: isClusterRelevant,
    }),
  ],
  ownerKey: (key, { cache }) => ownedByCluster(cache.nodePools.get(key)),
  create(shared) {
    const reconciler = new NodePoolReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};
