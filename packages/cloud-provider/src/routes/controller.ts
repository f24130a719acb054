import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { networkUnavailable, type TenantNode } from '@fairway/tenancy/connection/node';
import type { Declaration } from '../dependencies.ts';
import { hasPodRoutes, RouteReconciler } from './route-reconciler.ts';

export const cloudRouteController: Declaration = {
  name: 'cloud-route',
  concurrency: 5,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  watches: ({ cache }) => [
    watch(cache.clusters, undefined, {
      isRelevant: (old, cluster) =>
        isPaused(old) !== isPaused(cluster) ||
        old.status?.reset?.phase !== cluster.status?.reset?.phase ||
        old.status?.network?.routerID !== cluster.status?.network?.routerID,
    }),
    watch(
      cache.machines,
      (machine) => (hasPodRoutes(cache.clusters.get(clusterKeyOf(machine))) ? [clusterKeyOf(machine)] : []),
      { isRelevant: (old, machine) => old.status?.address !== machine.status?.address },
    ),
  ],
  create(shared) {
    const reconciler = new RouteReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, { cache, tenants }) {
    tenants.onConnect(({ clusterKey, nodes }) => {
      const enqueueCluster = () => {
        if (hasPodRoutes(cache.clusters.get(clusterKey))) enqueue(clusterKey);
      };
      nodes.addHandler({
        onAdd: enqueueCluster,
        onUpdate: (old, node) => {
          if (isRouteRelevant(old, node)) enqueueCluster();
        },
        onDelete: enqueueCluster,
      });
      // Nodes may be listed before the tenant is considered connected, so they are enqueued afterwards.
      void nodes.whenSynced().then(enqueueCluster, () => {});
    });
  },
};

function isRouteRelevant(old: TenantNode, node: TenantNode): boolean {
  const isSame =
    old.spec?.podCIDR === node.spec?.podCIDR && networkUnavailable(old)?.status === networkUnavailable(node)?.status;
  return !isSame;
}
