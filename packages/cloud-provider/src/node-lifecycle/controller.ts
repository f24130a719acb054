import { ConditionType } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { splitKey } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { NodeLifecycleReconciler } from './lifecycle-reconciler.ts';

export const cloudNodeLifecycleController: Declaration = {
  name: 'cloud-node-lifecycle',
  concurrency: 10,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  watches: ({ cache, tenants }) => {
    const nodeKey = (machine: Machine): readonly string[] => {
      const cluster = cache.clusters.get(clusterKeyOf(machine));
      return cluster === undefined ? [] : [`${identityOf(cluster)}/${machine.metadata.name}`];
    };
    return [
      watch(cache.machines, nodeKey, {
        isRelevant: (old, machine) =>
          serverReason(old) !== serverReason(machine) || isPaused(old) !== isPaused(machine),
      }),
      watch(cache.clusters, (cluster) => unreadyNodes(tenants.get(identityOf(cluster))), {
        isRelevant: (old, cluster) => isPaused(old) !== isPaused(cluster),
      }),
    ];
  },
  ownerKey: (key, { tenants }) => tenants.get(splitKey(key).namespace)?.clusterKey,
  create(shared) {
    const reconciler = new NodeLifecycleReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, { tenants }) {
    tenants.onConnect(({ clusterUid, nodes }) => {
      const enqueueUnready = (node: TenantNode) => {
        if (!isReady(node)) enqueue(`${clusterUid}/${node.metadata.name}`);
      };
      nodes.addHandler({ onAdd: enqueueUnready, onUpdate: (_, node) => enqueueUnready(node) });
      // Nodes may be listed before the tenant is considered connected, so they are enqueued afterwards.
      void nodes.whenSynced().then(
        () => nodes.list().forEach(enqueueUnready),
        () => {},
      );
    });
  },
};

function isReady(node: TenantNode): boolean {
  return nodeReadyCondition(node)?.status === 'True';
}

/** The state of the machine's server. */
function serverReason({ status }: Machine): string | undefined {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  return condition && `${condition.status} ${condition.reason}`;
}

/** Keys of a cluster's nodes that are not Ready. */
function unreadyNodes(tenant: TenantCluster | undefined): readonly string[] {
  const unready = tenant?.nodes.list().filter((node) => !isReady(node)) ?? [];
  return unready.map(({ metadata }) => `${tenant?.clusterUid}/${metadata.name}`);
}
