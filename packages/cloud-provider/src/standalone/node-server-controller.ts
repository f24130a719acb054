import { watch } from '@fairway/kube/controller/declaration';
import type { Server } from '@fairway/openstack/types/server';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { clusterKey } from './cluster-object.ts';
import type { StandaloneDeclaration } from './dependencies.ts';
import { NodeServerReconciler, nodesByServer } from './node-server-reconciler.ts';

/** Keys are node names. */
export const nodeServerController: StandaloneDeclaration = {
  name: 'node-servers',
  concurrency: 10,
  rights: [],
  // A node's address depends on the node subnet.
  watches: ({ cluster, clusters, tenants }) => [
    watch(clusters, () => (tenants.get(cluster.uid)?.nodes.list() ?? []).map(({ metadata }) => metadata.name ?? '')),
  ],
  ownerKey: (_, { cluster }) => clusterKey(cluster),
  create(shared) {
    const reconciler = new NodeServerReconciler(shared);
    return { reconcile: (name, context) => reconciler.reconcile(name, context) };
  },
  listen(enqueue, { cluster, clouds, tenants }) {
    tenants.onConnect((tenant) => {
      tenant.nodes.addIndex(nodesByServer.name, nodesByServer.valuesOf);
      const onNode = ({ metadata }: { readonly metadata: { readonly name?: string } }) => enqueue(metadata.name ?? '');
      tenant.nodes.addHandler({ onAdd: onNode, onUpdate: (_, node) => onNode(node), onDelete: onNode });
      // Nodes may be listed before the tenant is considered connected, so they are enqueued afterwards.
      void tenant.nodes.whenSynced().then(
        () => tenant.nodes.list().forEach(onNode),
        () => {},
      );
    });
    clouds.onProject((cloud) => {
      let isListed = false;
      return cloud.cache.servers.subscribe(({ added, changed, removed }) => {
        const tenant = tenants.get(cluster.uid);
        if (tenant === undefined) return;
        const isFirst = !isListed;
        isListed = true;
        // Nodes without a server are handled after the first list.
        const names = isFirst ? tenant.nodes.list().map(({ metadata }) => metadata.name ?? '') : [];
        for (const server of [...added, ...changed, ...removed]) names.push(...nodesOf(tenant, server));
        for (const name of new Set(names)) enqueue(name);
      });
    });
  },
};

function nodesOf(tenant: TenantCluster, { id, name }: Server): readonly string[] {
  const claimingNodes = tenant.nodes.find(nodesByServer, id).map(({ metadata }) => metadata.name ?? '');
  return tenant.nodes.get(name) === undefined ? claimingNodes : [...claimingNodes, name];
}
