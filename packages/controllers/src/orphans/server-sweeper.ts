import { CLUSTER_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { BackoffError } from '@fairway/kube/controller/attempts';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByIdentity } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';

type ServerSweeperDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'attempts' | 'events' | 'clock'
>;

/**
 * Deletes servers of a cluster that have no Machine: created by a request that took effect long after it timed out and its Machine
 * was deleted. Servers of unknown clusters belong to another Fairway and are not touched; those of a cluster being deleted are deleted
 * with it.
 */
export class ServerSweeper {
  readonly #dependencies: ServerSweeperDependencies;

  constructor(dependencies: ServerSweeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is a Cluster's. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, events } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    const cloud = clouds.of(key, cluster?.spec.credentialName);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || cloud === undefined) return {};
    if (isPaused(cluster)) return {};
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(() =>
      attempts.make({ kind: 'orphans', item: identityOf(cluster) }, () => this.#sweep(cluster, cloud, pass.signal)),
    );
    if (failure && !(failure.error instanceof BackoffError)) {
      const message = `servers without a machine are not deleted yet: ${failure.message}`;
      events.warning(cluster, 'OrphanNotDeleted', message);
    }
    return pass.end();
  }

  /** Rejects with the cloud's error, or that of Fairway's own API. */
  async #sweep(cluster: Cluster, cloud: ProjectCloud, signal: AbortSignal): Promise<void> {
    const { cache, events } = this.#dependencies;
    const clusterUid = identityOf(cluster);
    const snapshot = cloud.listedServers();
    const { servers: ledger } = cloud.ledgers;
    const present = serversOfCluster(snapshot, clusterUid).filter(
      ({ id }) => !ledger.isDeleting(id, snapshot.listedAtMs ?? 0),
    );
    const isKnown = (machineUid: string) => cache.machines.find(machinesByIdentity, machineUid).length > 0;
    const isOrphan = (isThere: (machineUid: string) => boolean) => (server: { readonly tags: readonly string[] }) =>
      !isThere(serverOwner(server)?.machineUid ?? '');
    if (!present.some(isOrphan(isKnown))) return;
    // The cache may be a moment behind, and a server of a living machine is beyond price: only what the API server holds counts here.
    const live = await this.#liveMachines(cluster, signal);
    signal.throwIfAborted();
    const orphans = present.filter(isOrphan((machineUid) => live.has(machineUid)));
    const { servers } = cloud.client.compute;
    await Promise.all(
      orphans.map(async ({ id, name }) => {
        await cloud.remove(ledger, id, () => servers.delete(id, { signal }));
        events.warning(cluster, 'OrphanDeleted', `server ${id} (${name}) had no machine any more and was deleted`);
      }),
    );
  }

  async #liveMachines(cluster: Cluster, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { namespace } = cluster.metadata;
    const { items } = await this.#dependencies.client.resource(machines).list({
      labelSelector: `${CLUSTER_UID_LABEL}=${identityOf(cluster)}`,
      signal,
      ...(namespace !== undefined && { namespace }),
    });
    return new Set(items.map(identityOf));
  }
}
