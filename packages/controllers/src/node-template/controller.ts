import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { machinesByCluster, machinesByPool } from '@fairway/tenancy/cache-indexes';
import { isPauseChanged } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { listenToNodes } from '../node-events.ts';
import { ownedByCluster } from '../owner-key.ts';
import { NodeTemplateReconciler } from './reconciler.ts';

export const nodeTemplateController: Declaration = {
  name: 'node-template',
  concurrency: 20,
  rights: [
    { type: machines, verbs: READ },
    { type: machines, subresource: 'status', verbs: ['patch'] },
    { type: nodePools, verbs: READ },
    { type: clusters, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.machines, machinesByCluster), indexOn(cache.machines, machinesByPool)],
  watches: ({ cache }) => [
    watch(cache.nodePools, (pool) => cache.machines.find(machinesByPool, keyOf(pool)).map(keyOf), {
      isRelevant: (old, pool) => old.metadata.generation !== pool.metadata.generation,
    }),
    watch(cache.clusters, (cluster) => cache.machines.find(machinesByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: isPauseChanged,
    }),
    // A record written for an older generation is checked again.
    watch(cache.machines, undefined, {
      isRelevant: (old, { status }) => !isDeepStrictEqual(old.status?.appliedTemplate, status?.appliedTemplate),
    }),
  ],
  ownerKey: (key, { cache }) => ownedByCluster(cache.machines.get(key)),
  create(shared) {
    const reconciler = new NodeTemplateReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen: (enqueue, { cache, tenants }) => listenToNodes(tenants, cache.machines, enqueue),
};
