import type { Machine } from '@fairway/api/kinds/machine';
import type { Informer } from '@fairway/kube/client/informer';
import { keyOf, splitKey } from '@fairway/kube/client/object-key';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';

/**
 * Enqueues the machine of each changed node in a tenant's cluster, and all machines of a cluster once its nodes have
 * been listed, because node events were skipped until then. Requires the index `machinesByCluster`.
 */
export function listenToNodes(
  tenants: Pick<TenantClusters, 'onConnect'>,
  machines: Informer<Machine>,
  enqueue: (machineKey: string) => void,
): void {
  tenants.onConnect(({ clusterKey, nodes }) => {
    const { namespace } = splitKey(clusterKey);
    const enqueueMachineForNode = ({ metadata }: { readonly metadata: { readonly name?: string } }) => {
      const key = `${namespace}/${metadata.name}`;
      if (machines.get(key) !== undefined) enqueue(key);
    };
    nodes.addHandler({
      onAdd: enqueueMachineForNode,
      onUpdate: (_, node) => enqueueMachineForNode(node),
      onDelete: enqueueMachineForNode,
    });
    void nodes.whenSynced().then(
      () => {
        for (const machine of machines.find(machinesByCluster, clusterKey)) enqueue(keyOf(machine));
      },
      () => {},
    );
  });
}

/** Enqueues a cluster when a connection to it is opened or reopened, and when its nodes have been listed. */
export function listenToConnections(
  tenants: Pick<TenantClusters, 'onConnect'>,
  enqueue: (clusterKey: string) => void,
): void {
  tenants.onConnect(({ clusterKey, nodes }) => {
    void nodes.whenSynced().then(
      () => enqueue(clusterKey),
      () => {},
    );
  });
}
