import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import {
  isOfProject,
  type Marked,
  machineOfDescription,
  serverGroupOwner,
  serverOwner,
} from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { hasOwnPorts } from '../machine/port.ts';

/** A resource in the cloud that was made for a Machine or a NodePool. */
export interface Held {
  readonly kind: 'servers' | 'ports' | 'floating IPs' | 'server groups';
  readonly id: string;
  readonly name?: string;
  readonly holder: { readonly kind: 'machine' | 'pool'; readonly uid: string };
  /** Rejects with the cloud's error. */
  readonly remove: (signal: AbortSignal) => Promise<void>;
}

/** How old lists may be, so that the clusters of a project share one. */
const MAX_AGE_MS = 1_800_000;

/** The cluster's servers as the shared list shows them. */
export function listedServers(cloud: ProjectCloud, cluster: Cluster): readonly Held[] {
  const { client, ledgers } = cloud;
  const snapshot = cloud.listedServers();
  return serversOfCluster(snapshot, identityOf(cluster))
    .filter(({ id }) => !isDeleting(ledgers.servers, id, snapshot))
    .map(({ id, name, tags }) => ({
      kind: 'servers',
      id,
      name,
      holder: { kind: 'machine', uid: serverOwner({ tags })?.machineUid ?? '' },
      remove: (signal) => cloud.remove(ledgers.servers, id, () => client.compute.servers.delete(id, { signal })),
    }));
}

/** What else it has in its project for machines and pools, by lists that the project's clusters share. Rejects with the cloud's error. */
export async function listedHoldings(cloud: ProjectCloud, cluster: Cluster): Promise<readonly Held[]> {
  const { cache, client, ledgers } = cloud;
  const clusterUid = identityOf(cluster);
  const projectID = await client.session.projectId();
  const sinceMs = Math.max(cloud.now() - MAX_AGE_MS, cloud.listedFromMs);
  const [serverGroups, floatingIps, ports] = await Promise.all([
    cache.serverGroups.refreshAfter(sinceMs),
    cache.floatingIps.refreshAfter(sinceMs),
    hasOwnPorts(cluster) ? cache.ports.refreshAfter(sinceMs) : undefined,
  ]);
  const { network, compute } = client;
  const machineOf = (item: Marked) => {
    const owner = machineOfDescription(item.description);
    return owner?.clusterUid === clusterUid && isOfProject(item, projectID) ? owner.machineUid : undefined;
  };
  const poolOf = (item: { readonly name: string; readonly project_id?: string | undefined }) => {
    const owner = serverGroupOwner(item, projectID);
    return owner?.clusterUid === clusterUid ? owner.poolUid : undefined;
  };
  return [
    ...heldOf('floating IPs', 'machine', floatingIps, ledgers.floatingIps, machineOf, (id, signal) =>
      cloud.remove(ledgers.floatingIps, id, () => network.floatingIps.delete(id, { signal })),
    ),
    ...heldOf('ports', 'machine', ports, ledgers.ports, machineOf, (id, signal) =>
      cloud.remove(ledgers.ports, id, () => network.ports.delete(id, { signal })),
    ),
    ...heldOf('server groups', 'pool', serverGroups, ledgers.serverGroups, poolOf, (id, signal) =>
      cloud.remove(ledgers.serverGroups, id, () => compute.serverGroups.delete(id, { signal })),
    ),
  ];
}

/** Of the listed those that are not being deleted, and that `holderOf` says are the cluster's. */
function heldOf<T extends { readonly id: string }>(
  kind: Held['kind'],
  holderKind: Held['holder']['kind'],
  snapshot: Snapshot<T> | undefined,
  ledger: Ledger<T>,
  holderOf: (item: T) => string | undefined,
  remove: (id: string, signal: AbortSignal) => Promise<void>,
): readonly Held[] {
  return [...(snapshot?.items.values() ?? [])].flatMap((item) => {
    const { id } = item;
    const uid = holderOf(item);
    if (uid === undefined || snapshot === undefined || isDeleting(ledger, id, snapshot)) return [];
    return [{ kind, id, holder: { kind: holderKind, uid }, remove: (signal: AbortSignal) => remove(id, signal) }];
  });
}

function isDeleting<T extends { readonly id: string }>(
  ledger: Ledger<T>,
  id: string,
  { listedAtMs = 0 }: { readonly listedAtMs?: number | undefined },
): boolean {
  return ledger.isDeleting(id, listedAtMs);
}
