import { CLUSTER_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { BackoffError } from '@fairway/kube/controller/attempts';
import { machinesByIdentity, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { listedHoldings, listedServers, type OwnedResource } from './holdings.ts';
import type { KnownOrphans } from './metrics.ts';

type Dependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'attempts' | 'events' | 'clock' | 'orphans'
>;

/** How often ports, floating IPs and server groups are checked; the list of servers is available at no extra cost. */
const POLL_INTERVAL_MS = 3_600_000;
/** The retry interval of a failed check. */
const RETRY_INTERVAL_MS = 900_000;

/** State of an existing cluster in this process. */
interface LiveClusterState {
  /** When the next slow check is due. */
  dueMs: number;
  /** Whether any resource without an owner is known. */
  isSuspicious: boolean;
  orphans: KnownOrphans | undefined;
  /** IDs of reported resources. */
  reported: string;
  /** The last reported reason why the resources remain. */
  failure: string;
}

/**
 * Deletes cloud resources of an existing cluster whose Machine or NodePool has been deleted: resources created by a
 * request that took effect long after it timed out. Resources of a cluster that is being deleted are deleted with the
 * cluster, and clusters that do not exist here belong to another Fairway installation.
 */
export class LiveClusterGC {
  readonly #dependencies: Dependencies;
  readonly #known = new Map<string, LiveClusterState>();
  readonly #onDeleted: (kind: string, count: number) => void;

  /** `deleted` is called with the number of deleted resources, by kind. */
  constructor(dependencies: Dependencies, deleted: (kind: string, count: number) => void) {
    this.#dependencies = dependencies;
    this.#onDeleted = deleted;
  }

  *orphans(): Iterable<KnownOrphans> {
    for (const { orphans } of this.#known.values()) if (orphans) yield orphans;
  }

  /** Drops the state of clusters that another process has taken over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#known.keys()) if (isMatching(key)) this.#known.delete(key);
  }

  async sweep(key: string, pass: Pass): Promise<void> {
    const { attempts, cache, clouds, events } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    const cloud = clouds.of(key, cluster?.spec.credentialName);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || cloud === undefined) {
      this.#known.delete(key);
      return;
    }
    if (isPaused(cluster)) return;
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'orphans', item: identityOf(cluster) }, () => this.#sweep(cluster, cloud, pass)),
    );
    // A failed check reports nothing, because controllers that need the cloud already report that it is unreachable.
    const known = this.#known.get(key);
    if (known && failure === undefined) known.failure = '';
    if (!known?.isSuspicious || !failure || failure.error instanceof BackoffError) return;
    const message = `resources without a machine or pool are not deleted yet: ${failure.message}`;
    if (known.failure === message) return;
    known.failure = message;
    events.warning(cluster, 'OrphanNotDeleted', message);
  }

  /** Rejects with the cloud's error, or with an error from Fairway's own API. */
  async #sweep(cluster: Cluster, cloud: ProjectCloud, pass: Pass): Promise<void> {
    const { clock } = this.#dependencies;
    const known = this.#sweepState(cluster);
    const isDue = known.dueMs <= clock.now();
    if (isDue) known.dueMs = clock.now() + RETRY_INTERVAL_MS;
    const held = [...listedServers(cloud, cluster), ...(isDue ? await listedHoldings(cloud, cluster) : [])];
    const suspects = this.#withoutLiveOwner(held, cluster);
    known.isSuspicious = suspects.length > 0;
    const orphans = suspects.length > 0 ? await this.#confirmOrphans(suspects, cluster, pass.signal) : [];
    pass.signal.throwIfAborted();
    // If deleting late resources fails, the retry must not wait for the next slow check.
    if (isDue && orphans.length > 0) known.dueMs = clock.now();
    await this.#end(orphans, cluster, known, pass.signal);
    known.isSuspicious = false;
    if (isDue) known.dueMs = clock.now() + POLL_INTERVAL_MS;
    pass.requeueAfter(known.dueMs - clock.now());
  }

  async #end(
    orphans: readonly OwnedResource[],
    cluster: Cluster,
    known: LiveClusterState,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#dependencies.orphans === 'Report') return this.#report(orphans, cluster, known);
    const { events } = this.#dependencies;
    await Promise.all(
      orphans.map(async ({ kind, id, name, holder, remove }) => {
        await remove(signal);
        this.#onDeleted(kind, 1);
        const message = `${RESOURCE_NOUNS[kind]} ${id}${name ? ` (${name})` : ''} no longer belonged to any ${holder.kind} and was deleted`;
        events.warning(cluster, 'OrphanDeleted', message);
      }),
    );
  }

  #report(orphans: readonly OwnedResource[], cluster: Cluster, known: LiveClusterState): void {
    const counts = new Map<string, number>();
    for (const { kind } of orphans) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    known.orphans = orphans.length === 0 ? undefined : { state: 'held', counts };
    const reported = orphans
      .map(({ kind, id }) => `${RESOURCE_NOUNS[kind]} ${id}`)
      .sort()
      .join(', ');
    if (known.reported === reported) return;
    known.reported = reported;
    if (reported === '') return;
    const message = `${reported}: no longer belongs to any machine or pool; delete it manually`;
    this.#dependencies.events.warning(cluster, 'OrphanFound', message);
  }

  /** The resources whose Machine or NodePool does not exist according to the caches. */
  #withoutLiveOwner(held: readonly OwnedResource[], cluster: Cluster): readonly OwnedResource[] {
    const { cache } = this.#dependencies;
    const pools = new Set(cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(identityOf));
    const isKnown = ({ kind, uid }: OwnedResource['holder']) =>
      kind === 'pool' ? pools.has(uid) : cache.machines.find(machinesByIdentity, uid).length > 0;
    return held.filter(({ holder }) => !isKnown(holder));
  }

  /**
   * The suspects whose Machine or NodePool does not exist according to the API server. Caches may lag, and the server
   * of an existing machine is irreplaceable.
   */
  async #confirmOrphans(
    suspects: readonly OwnedResource[],
    cluster: Cluster,
    signal: AbortSignal,
  ): Promise<readonly OwnedResource[]> {
    const live = await this.#liveHolders(cluster, signal);
    return suspects.filter(({ holder }) => !live[holder.kind].has(holder.uid));
  }

  async #liveHolders(
    cluster: Cluster,
    signal: AbortSignal,
  ): Promise<Record<OwnedResource['holder']['kind'], ReadonlySet<string>>> {
    const { client } = this.#dependencies;
    const { name, namespace } = cluster.metadata;
    const options = { signal, ...(namespace !== undefined && { namespace }) };
    const labelSelector = `${CLUSTER_UID_LABEL}=${identityOf(cluster)}`;
    const [machinesLeft, poolsLeft] = await Promise.all([
      client.resource(machines).list({ ...options, labelSelector }),
      client.resource(nodePools).list(options),
    ]);
    const pools = poolsLeft.items.filter(({ spec }) => spec.clusterName === name);
    return { machine: new Set(machinesLeft.items.map(identityOf)), pool: new Set(pools.map(identityOf)) };
  }

  #sweepState(cluster: Cluster): LiveClusterState {
    const key = keyOf(cluster);
    const found = this.#known.get(key);
    if (found) return found;
    const known = {
      dueMs: this.#dependencies.clock.now() + POLL_INTERVAL_MS,
      isSuspicious: false,
      orphans: undefined,
      reported: '',
      failure: '',
    };
    this.#known.set(key, known);
    return known;
  }
}

const RESOURCE_NOUNS = {
  servers: 'server',
  ports: 'port',
  'floating IPs': 'floating IP',
  'server groups': 'server group',
  volumes: 'volume',
} as const;
