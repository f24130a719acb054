import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { keyOf } from '@fairway/kube/client/object-key';
import { Attempts } from '@fairway/kube/controller/attempts';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import { READ } from '@fairway/kube/controller/rights';
import { machinesByCluster, machinesByIdentity, machinesByPool } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { CacheExpectations } from '../cache-expectations.ts';
import { isClusterRelevant, isRequestChanged } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { listenToNodes } from '../node-events.ts';
import { ownedByCluster } from '../owner-key.ts';
import { BlockedPods } from './blocked-pods.ts';
import { DetachingVolumes } from './detaching-volumes.ts';
import { MachineReconciler } from './reconciler.ts';
import { ServerBuilds } from './server-builds.ts';
import { pollServersWhileUnready } from './server-polling.ts';

export const machineController: Declaration = {
  name: 'machine',
  // A create waits for the cloud, so a pool's servers are created concurrently.
  concurrency: 50,
  rights: [
    { type: machines, verbs: [...READ, 'patch'] },
    { type: machines, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
    { type: nodePools, verbs: READ },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.machines, machinesByCluster),
    indexOn(cache.machines, machinesByIdentity),
    indexOn(cache.machines, machinesByPool),
  ],
  watches: ({ cache }) => [
    watch(cache.machines),
    // A change to a pool or a requested retry retries its machines immediately.
    watch(cache.nodePools, (pool) => cache.machines.find(machinesByPool, keyOf(pool)).map(keyOf), {
      isRelevant: (old, pool) =>
        isRequestChanged(old, pool) ||
        isBeingDeleted(old) !== isBeingDeleted(pool) ||
        !isDeepStrictEqual(old.status?.securityGroups, pool.status?.securityGroups),
    }),
    watch(cache.clusters, (cluster) => cache.machines.find(machinesByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: isClusterRelevant,
    }),
  ],
  ownerKey: (key, { cache }) => ownedByCluster(cache.machines.get(key)),
  create(shared) {
    const { cache, clock, log, random, serverBackoffMs } = shared;
    const expectations = new CacheExpectations();
    const backoff = { baseMs: serverBackoffMs.base, maxMs: serverBackoffMs.max };
    const builds = new ServerBuilds(new Attempts({ clock, random, log, classify: classifyError, backoff }), clock);
    const drains = { volumes: new DetachingVolumes(), blockedPods: new BlockedPods() };
    const reconciler = new MachineReconciler({ ...shared, ...drains, builds, expectations });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget(isMatching) {
        for (const key of expectations.keys()) {
          const machine = cache.machines.get(key);
          if (machine === undefined || isMatching(clusterKeyOf(machine))) expectations.settle(key);
        }
      },
    };
  },
  listen(enqueue, { cache, clock, clouds, tenants }) {
    listenToNodes(tenants, cache.machines, enqueue);
    clouds.onProject(pollServersWhileUnready({ ...cache, tenants, clock }));
    clouds.onProject((cloud) =>
      cloud.cache.servers.subscribe(({ added, changed, removed }) => {
        for (const server of [...added, ...changed, ...removed]) {
          const uid = serverOwner(server)?.machineUid;
          if (uid === undefined) continue;
          for (const machine of cache.machines.find(machinesByIdentity, uid)) enqueue(keyOf(machine));
        }
      }),
    );
  },
};
