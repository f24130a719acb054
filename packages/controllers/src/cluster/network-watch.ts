import { clusterOfDescription, type Marked } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/** What is told of a cluster's network: whose it is by its mark, or by the network that a router is no longer attached to. */
export type NetworkChange = { readonly clusterUid: string } | { readonly networkID: string };

/**
 * Calls `changed` when a list shows that a part of a network is gone or other than it was: whichever cluster of the project had it listed, the one whose it
 * is need not wait for its own turn. Has nothing listed itself. Returns a function that stops it.
 */
export function overhearNetworks({ cache }: ProjectCloud, changed: (change: NetworkChange) => void): () => void {
  const tell = ({ description }: Marked) => {
    const clusterUid = clusterOfDescription(description);
    if (clusterUid !== undefined) changed({ clusterUid });
  };
  const kinds = [cache.networks, cache.subnets, cache.routers, cache.securityGroups] as const;
  const stops = kinds.map((kind) =>
    kind.overhear((delta) => {
      for (const item of [...delta.changed, ...delta.removed]) tell(item);
    }),
  );
  stops.push(
    cache.routerInterfaces.overhear(({ removed }) => {
      for (const { network_id: networkID } of removed) changed({ networkID });
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}
