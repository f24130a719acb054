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
import { type Held, listedHoldings, listedServers } from './holdings.ts';
import type { KnownOrphans } from './metrics.ts';

type Dependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'attempts' | 'events' | 'clock' | 'orphans'
>;

/** How often ports, floating IPs and server groups are looked through; the list of servers is there anyway. */
const LOOK_MS = 3_600_000;
/** A look that fails is made again as seldom. */
const LOOK_RETRY_MS = 900_000;

/** What this process knows of a living cluster. */
interface Known {
  /** When the next slow look is. */
  dueMs: number;
  /** Whether something was found that has no owner, as far as anybody could tell. */
  isSuspicious: boolean;
  orphans: KnownOrphans | undefined;
  /** Ids that were told. */
  reported: string;
}

/**
 * Deletes what a living cluster has in the cloud for Machines and NodePools that are gone: made by a request that took effect long after it timed out. What is
 * left of a cluster that is being deleted goes with it, and clusters that are not here are another Fairway's.
 */
export class LivingSweeper {
  readonly #dependencies: Dependencies;
  readonly #known = new Map<string, Known>();
  readonly #deleted: (kind: string, count: number) => void;

  /** `deleted` is told of what was deleted, by kind. */
  constructor(dependencies: Dependencies, deleted: (kind: string, count: number) => void) {
    this.#dependencies = dependencies;
    this.#deleted = deleted;
  }

  *orphans(): Iterable<KnownOrphans> {
    for (const { orphans } of this.#known.values()) if (orphans) yield orphans;
  }

  /** Drops what is known of clusters that are another process's from now on. */
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
      attempts.make({ kind: 'orphans', item: identityOf(cluster) }, () => this.#sweep(cluster, cloud, pass)),
    );
    // A look that fails tells of nothing: whoever needs the cloud says that it is away.
    if (this.#known.get(key)?.isSuspicious && failure && !(failure.error instanceof BackoffError)) {
      const message = `what has no machine or pool any more is not deleted yet: ${failure.message}`;
      events.warning(cluster, 'OrphanNotDeleted', message);
    }
  }

  /** Rejects with the cloud's error, or that of Fairway's own API. */
  async #sweep(cluster: Cluster, cloud: ProjectCloud, pass: Pass): Promise<void> {
    const { clock } = this.#dependencies;
    const known = this.#knownOf(cluster);
    const isDue = known.dueMs <= clock.now();
    if (isDue) known.dueMs = clock.now() + LOOK_RETRY_MS;
    const held = [...listedServers(cloud, cluster), ...(isDue ? await listedHoldings(cloud, cluster) : [])];
    const suspects = this.#withoutOwner(held, cluster);
    known.isSuspicious = suspects.length > 0;
    const orphans = suspects.length > 0 ? await this.#orphansAmong(suspects, cluster, pass.signal) : [];
    pass.signal.throwIfAborted();
    // What is found late must not wait for the next slow look when its deletion fails.
    if (isDue && orphans.length > 0) known.dueMs = clock.now();
    await this.#end(orphans, cluster, known, pass.signal);
    known.isSuspicious = false;
    if (isDue) known.dueMs = clock.now() + LOOK_MS;
    pass.againIn(known.dueMs - clock.now());
  }

  async #end(orphans: readonly Held[], cluster: Cluster, known: Known, signal: AbortSignal): Promise<void> {
    if (this.#dependencies.orphans === 'Report') return this.#report(orphans, cluster, known);
    const { events } = this.#dependencies;
    await Promise.all(
      orphans.map(async ({ kind, id, name, holder, remove }) => {
        await remove(signal);
        this.#deleted(kind, 1);
        const message = `${ONE_OF[kind]} ${id}${name ? ` (${name})` : ''} had no ${holder.kind} any more and was deleted`;
        events.warning(cluster, 'OrphanDeleted', message);
      }),
    );
  }

  #report(orphans: readonly Held[], cluster: Cluster, known: Known): void {
    const counts = new Map<string, number>();
    for (const { kind } of orphans) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    known.orphans = orphans.length === 0 ? undefined : { state: 'held', counts };
    const reported = orphans
      .map(({ kind, id }) => `${ONE_OF[kind]} ${id}`)
      .sort()
      .join(', ');
    if (known.reported === reported) return;
    known.reported = reported;
    if (reported === '') return;
    const message = `${reported}: no machine or pool has this any more; delete it by hand`;
    this.#dependencies.events.warning(cluster, 'OrphanFound', message);
  }

  /** By the caches. */
  #withoutOwner(held: readonly Held[], cluster: Cluster): readonly Held[] {
    const { cache } = this.#dependencies;
    const pools = new Set(cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(identityOf));
    const isKnown = ({ kind, uid }: Held['holder']) =>
      kind === 'pool' ? pools.has(uid) : cache.machines.find(machinesByIdentity, uid).length > 0;
    return held.filter(({ holder }) => !isKnown(holder));
  }

  /** The cache may be a moment behind, and a server of a living machine is beyond price: only what the API server holds counts here. */
  async #orphansAmong(suspects: readonly Held[], cluster: Cluster, signal: AbortSignal): Promise<readonly Held[]> {
    const live = await this.#liveHolders(cluster, signal);
    return suspects.filter(({ holder }) => !live[holder.kind].has(holder.uid));
  }

  async #liveHolders(
    cluster: Cluster,
    signal: AbortSignal,
  ): Promise<Record<Held['holder']['kind'], ReadonlySet<string>>> {
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

  #knownOf(cluster: Cluster): Known {
    const key = keyOf(cluster);
    const found = this.#known.get(key);
    if (found) return found;
    const known = {
      dueMs: this.#dependencies.clock.now() + LOOK_MS,
      isSuspicious: false,
      orphans: undefined,
      reported: '',
    };
    this.#known.set(key, known);
    return known;
  }
}

const ONE_OF = {
  servers: 'server',
  ports: 'port',
  'floating IPs': 'floating IP',
  'server groups': 'server group',
} as const;
