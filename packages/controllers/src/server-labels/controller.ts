import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { machinesByCluster, machinesByIdentity, machinesByPool } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { isPauseChanged } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { ownedByCluster } from '../owner-key.ts';
import { ServerLabelsReconciler } from './reconciler.ts';

/** Maintains the tenant's tags and metadata on machines' servers. Keyed by Machine. */
export const serverLabelsController: Declaration = {
  name: 'server-labels',
  concurrency: 20,
  rights: [
    { type: machines, verbs: READ },
    { type: machines, subresource: 'status', verbs: ['patch'] },
    { type: nodePools, verbs: READ },
    { type: clusters, verbs: READ },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.machines, machinesByCluster),
    indexOn(cache.machines, machinesByIdentity),
    indexOn(cache.machines, machinesByPool),
  ],
  watches: ({ cache }) => [
    watch(cache.nodePools, (pool) => cache.machines.find(machinesByPool, keyOf(pool)).map(keyOf), {
      isRelevant: (old, pool) => old.metadata.generation !== pool.metadata.generation,
    }),
    watch(cache.clusters, (cluster) => cache.machines.find(machinesByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: isPauseChanged,
    }),
    // A record written for an older generation is checked again.
    watch(cache.machines, undefined, {
      isRelevant: (old, machine) => !isDeepStrictEqual(partOf(old), partOf(machine)),
    }),
  ],
  ownerKey: (key, { cache }) => ownedByCluster(cache.machines.get(key)),
  create(shared) {
    const reconciler = new ServerLabelsReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, { cache, clouds }) {
    clouds.onProject((cloud) =>
      cloud.cache.servers.subscribe(({ added, changed }) => {
        for (const server of [...added, ...changed]) {
          const uid = serverOwner(server)?.machineUid;
          if (uid === undefined) continue;
          for (const machine of cache.machines.find(machinesByIdentity, uid)) enqueue(keyOf(machine));
        }
      }),
    );
  },
};

function partOf({ status }: Machine) {
  return [status?.appliedServerLabels, status?.serverID, status?.reinstall === undefined];
}
