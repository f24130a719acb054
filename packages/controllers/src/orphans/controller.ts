import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByIdentity, machinesByIdentity } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { isPauseChanged } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { ServerSweeper } from './server-sweeper.ts';

export const serverSweepController: Declaration = {
  name: 'server-sweeper',
  concurrency: 1,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByIdentity), indexOn(cache.machines, machinesByIdentity)],
  watches: ({ cache }) => [watch(cache.clusters, undefined, { isRelevant: isPauseChanged })],
  create(shared) {
    const sweeper = new ServerSweeper(shared);
    return { reconcile: (key, context) => sweeper.reconcile(key, context) };
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
    // A server that no list had shown while its machine was being deleted.
    cache.machines.addHandler({ onDelete: (machine) => enqueue(clusterKeyOf(machine)) });
  },
};
