import { clusterOfDescription, type DescribedObject } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/** How the cluster of a changed network is identified: by its tag, or by the network that a router is no longer attached to. */
export type NetworkChange = { readonly clusterUid: string } | { readonly networkID: string };

/**
 * Calls `changed` when a list shows that a part of a network was deleted or changed. It does not matter which cluster
 * in the project requested the list: the affected one does not have to wait for its own resync. Requests no lists
 * itself. Returns a function that unsubscribes.
 */
export function observeNetworks({ cache }: ProjectCloud, changed: (change: NetworkChange) => void): () => void {
  const reportChange = ({ description }: DescribedObject) => {
    const clusterUid = clusterOfDescription(description);
    if (clusterUid !== undefined) changed({ clusterUid });
  };
  const kinds = [cache.networks, cache.subnets, cache.routers, cache.securityGroups] as const;
  const stopFunctions = kinds.map((kind) =>
    kind.observePassively((delta) => {
      for (const item of [...delta.changed, ...delta.removed]) reportChange(item);
    }),
  );
  stopFunctions.push(
    cache.routerInterfaces.observePassively(({ removed }) => {
      for (const { network_id: networkID } of removed) changed({ networkID });
    }),
  );
  return () => {
    for (const stop of stopFunctions) stop();
  };
}
