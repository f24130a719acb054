import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { keyOf, splitKey } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { machinesByCluster, machinesByIdentity } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Declaration } from '../dependencies.ts';
import { NodeReconciler } from './node-reconciler.ts';

export const cloudNodeController: Declaration = {
  name: 'cloud-node',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.machines, machinesByCluster), indexOn(cache.machines, machinesByIdentity)],
  watches: ({ cache }) => [
    watch(cache.machines, undefined, {
      isRelevant: (old, machine) =>
        old.status?.serverStatus !== machine.status?.serverStatus || old.status?.serverID !== machine.status?.serverID,
    }),
    watch(cache.clusters, (cluster) => cache.machines.find(machinesByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: (old, cluster) => isPaused(old) !== isPaused(cluster),
    }),
  ],
  ownerKey(key, { cache }) {
    const machine = cache.machines.get(key);
    return machine && clusterKeyOf(machine);
  },
  create(shared) {
    const reconciler = new NodeReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, { cache, clouds, tenants }) {
    tenants.onConnect(({ clusterKey, nodes }) => {
      const { namespace } = splitKey(clusterKey);
      const enqueueNode = ({ metadata }: { readonly metadata: { readonly name?: string } }) =>
        enqueue(`${namespace}/${metadata.name}`);
      nodes.addHandler({ onAdd: enqueueNode, onUpdate: (_, node) => enqueueNode(node) });
      // Nodes may be listed before the tenant is considered connected, so they are enqueued afterwards.
      void nodes.whenSynced().then(
        () => nodes.list().forEach(enqueueNode),
        () => {},
      );
    });
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
