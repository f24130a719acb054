import { CLUSTER_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import type { Result } from '@fairway/kube/controller/result';
import { machinesByIdentity } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import type { ControllerDependencies } from '../dependencies.ts';

type ServerSweeperDependencies = Pick<ControllerDependencies, 'client' | 'cache' | 'clouds' | 'events'>;

/**
 * Deletes servers of a cluster whose Machines are gone: made by a create that came through long after it was given up and its Machine
 * deleted. Servers of clusters that this Fairway does not have are another's and left alone; those of a cluster that is being deleted go
 * with it.
 */
export class ServerSweeper {
  readonly #dependencies: ServerSweeperDependencies;

  constructor(dependencies: ServerSweeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is a Cluster's. Rejects with the cloud's error. */
  async reconcile(key: string): Promise<Result> {
    const { cache, clouds, events } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    const cloud = clouds.of(key, cluster?.spec.credentialName);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || cloud === undefined) return {};
    if (isPaused(cluster)) return {};
    const clusterUid = identityOf(cluster);
    const snapshot = cloud.listedServers();
    const { servers: ledger } = cloud.ledgers;
    const present = serversOfCluster(snapshot, clusterUid).filter(
      ({ id }) => !ledger.isDeleting(id, snapshot.listedAtMs ?? 0),
    );
    const isKnown = (machineUid: string) => cache.machines.find(machinesByIdentity, machineUid).length > 0;
    const isOrphan = (isThere: (machineUid: string) => boolean) => (server: { readonly tags: readonly string[] }) =>
      !isThere(serverOwner(server)?.machineUid ?? '');
    if (!present.some(isOrphan(isKnown))) return {};
    // The cache may be a moment behind, and a server of a living machine is beyond price: only what the API server holds counts here.
    const live = await this.#liveMachines(cluster);
    const orphans = present.filter(isOrphan((machineUid) => live.has(machineUid)));
    const { servers } = cloud.client.compute;
    await Promise.all(
      orphans.map(async ({ id, name }) => {
        await cloud.remove(ledger, id, () => servers.delete(id));
        events.warning(cluster, 'OrphanDeleted', `server ${id} (${name}) had no machine any more and was deleted`);
      }),
    );
    return {};
  }

  async #liveMachines(cluster: Cluster): Promise<ReadonlySet<string>> {
    const { namespace } = cluster.metadata;
    const { items } = await this.#dependencies.client.resource(machines).list({
      labelSelector: `${CLUSTER_UID_LABEL}=${identityOf(cluster)}`,
      ...(namespace !== undefined && { namespace }),
    });
    return new Set(items.map(identityOf));
  }
}
