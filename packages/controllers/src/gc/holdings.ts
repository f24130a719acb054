import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import {
  type DescribedObject,
  isOfProject,
  machineOfDescription,
  rootVolumeOwner,
  serverGroupOwner,
  serverOwner,
} from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { removeServer } from '@fairway/tenancy/cloud/server-removal';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { removeVolumes, volumesOfCluster } from '../cluster/volume-deletion.ts';

/** A cloud resource that was created for a Machine or a NodePool. */
export interface OwnedResource {
  readonly kind: 'servers' | 'ports' | 'floating IPs' | 'server groups' | 'volumes';
  readonly id: string;
  readonly name?: string;
  readonly holder: { readonly kind: 'machine' | 'pool'; readonly uid: string };
  /** Rejects with the cloud's error. */
  readonly remove: (signal: AbortSignal) => Promise<void>;
}

/** Maximum age of lists, so that the clusters of a project share one. */
const MAX_AGE_MS = 1_800_000;

/** The cluster's servers from the shared list. */
export function listedServers(cloud: ProjectCloud, cluster: Cluster): readonly OwnedResource[] {
  const { ledgers } = cloud;
  const snapshot = cloud.listedServers();
  return serversOfCluster(snapshot, identityOf(cluster))
    .filter(({ id }) => !isDeleting(ledgers.servers, id, snapshot))
    .map(({ id, name, tags }) => ({
      kind: 'servers',
      id,
      name,
      holder: { kind: 'machine', uid: serverOwner({ tags })?.machineUid ?? '' },
      remove: async (signal) => {
        const kept = await removeServer(cloud, id, { signal });
        if (kept) throw new ProblemError(kept);
      },
    }));
}

/**
 * The cluster's other resources in the project for machines and pools, from lists that the project's clusters share.
 * Rejects with the cloud's error.
 */
export async function listedHoldings(cloud: ProjectCloud, cluster: Cluster): Promise<readonly OwnedResource[]> {
  const { cache, client, ledgers } = cloud;
  const clusterUid = identityOf(cluster);
  const projectID = await client.session.projectId();
  const sinceMs = Math.max(cloud.now() - MAX_AGE_MS, cloud.listedFromMs);
  const [serverGroups, floatingIps, ports] = await Promise.all([
    cache.serverGroups.refreshAfter(sinceMs),
    cache.floatingIps.refreshAfter(sinceMs),
    cache.ports.refreshAfter(sinceMs),
  ]);
  const { network, compute } = client;
  const machineOf = (item: DescribedObject) => {
    const owner = machineOfDescription(item.description);
    return owner?.clusterUid === clusterUid && isOfProject(item, projectID) ? owner.machineUid : undefined;
  };
  const poolOf = (item: { readonly name: string; readonly project_id?: string | undefined }) => {
    const owner = serverGroupOwner(item, projectID);
    return owner?.clusterUid === clusterUid ? owner.poolUid : undefined;
  };
  return [
    ...(await listedRootVolumes(cloud, clusterUid, sinceMs)),
    ...ownedResources('floating IPs', 'machine', floatingIps, ledgers.floatingIps, machineOf, (id, signal) =>
      cloud.remove(ledgers.floatingIps, id, () => network.floatingIps.delete(id, { signal })),
    ),
    ...ownedResources('ports', 'machine', ports, ledgers.ports, machineOf, (id, signal) =>
      cloud.remove(ledgers.ports, id, () => network.ports.delete(id, { signal })),
    ),
    ...ownedResources('server groups', 'pool', serverGroups, ledgers.serverGroups, poolOf, (id, signal) =>
      cloud.remove(ledgers.serverGroups, id, () => compute.serverGroups.delete(id, { signal })),
    ),
  ];
}

/** Root volumes of machines' servers. Nova deletes them with the servers, and does not report failures. */
async function listedRootVolumes(
  cloud: ProjectCloud,
  clusterUid: string,
  sinceMs: number,
): Promise<readonly OwnedResource[]> {
  const { volumes } = await volumesOfCluster(cloud, clusterUid, sinceMs);
  const snapshot = cloud.cache.volumes.snapshot();
  return volumes.flatMap((volume): OwnedResource[] => {
    const { id, name, status } = volume;
    const uid = rootVolumeOwner(volume)?.machineUid;
    if (uid === undefined || status === 'deleting' || isDeleting(cloud.ledgers.volumes, id, snapshot)) return [];
    const remove = async (signal: AbortSignal) => {
      const left = await removeVolumes(cloud, [volume], { signal, isLate: true });
      if (left?.held) throw new ProblemError(left.held);
    };
    return [{ kind: 'volumes', id, ...(name && { name }), holder: { kind: 'machine', uid }, remove }];
  });
}

/** The listed resources that are not being deleted and that belong to the cluster according to `holderOf`. */
function ownedResources<T extends { readonly id: string }>(
  kind: OwnedResource['kind'],
  holderKind: OwnedResource['holder']['kind'],
  snapshot: Snapshot<T> | undefined,
  ledger: Ledger<T>,
  holderOf: (item: T) => string | undefined,
  remove: (id: string, signal: AbortSignal) => Promise<void>,
): readonly OwnedResource[] {
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
