import type { Machine } from '@fairway/api/kinds/machine';
import type { Informer } from '@fairway/kube/client/informer';
import { keyOf, splitKey } from '@fairway/kube/client/object-key';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';

/**
 * Tells of the machine of each node that changes in a tenant's cluster, and of all machines of a cluster as soon as its nodes are known:
 * what was listed before the tenant counted as connected is looked at then. Needs the index `machinesByCluster`.
 */
export function listenToNodes(
  tenants: Pick<TenantClusters, 'onConnect'>,
  machines: Informer<Machine>,
  enqueue: (machineKey: string) => void,
): void {
  tenants.onConnect(({ clusterKey, nodes }) => {
    const { namespace } = splitKey(clusterKey);
    const enqueueMachineOf = ({ metadata }: { readonly metadata: { readonly name?: string } }) => {
      const key = `${namespace}/${metadata.name}`;
      if (machines.get(key) !== undefined) enqueue(key);
    };
    nodes.addHandler({
      onAdd: enqueueMachineOf,
      onUpdate: (_, node) => enqueueMachineOf(node),
      onDelete: enqueueMachineOf,
    });
    void nodes.whenSynced().then(
      () => {
        for (const machine of machines.find(machinesByCluster, clusterKey)) enqueue(keyOf(machine));
      },
      () => {},
    );
  });
}
