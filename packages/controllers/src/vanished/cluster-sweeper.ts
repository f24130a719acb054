import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { lastFailure } from '@fairway/kube/controller/attempts';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import { cloudProblemOf } from '@fairway/tenancy/cloud/cloud-problem';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { deleteCloudResources } from '../cluster/network-deletion.ts';
import type { ControllerDependencies } from '../dependencies.ts';
import { listRoots, namespaceOf, type RootsRecord, withoutCluster } from './vanished-clusters.ts';

type SweeperDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'runtime' | 'credentials' | 'tenants' | 'events' | 'clock' | 'log' | 'vanishedGraceMs'
>;

/** How long a Cluster must be missing. Caches are behind for moments, a restore or a database that comes back for minutes. */
const GRACE_MS = 600_000;
const RETRY_MS = 5_000;
const PROBLEM_RETRY_MS = 300_000;

/** What a suspicion is: a UID, and when it was first seen without a Cluster. */
type Suspects = Map<string, number>;

/**
 * Ends what is left of clusters whose Cluster went without Fairway: control plane, servers and network in every project of the namespace, roots of
 * trust. What is Fairway's is told by roots that are kept here and by marks with their UID, so that nothing of anybody else is touched.
 *
 * **Guarantees.** A Cluster must be missing twice, a grace period apart, the second time by the API server's own word. The roots go last: killed anywhere,
 * the next run finds the rest. Clusters of a backup, and those whose Secret is paused, are left alone.
 */
export class ClusterSweeper {
  readonly #dependencies: SweeperDependencies;
  readonly #suspects = new Map<string, Suspects>();
  #enqueue: (clusterKey: string) => void = () => {};

  constructor(dependencies: SweeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** Where to ask for a run of a key. */
  onSuspect(enqueue: (clusterKey: string) => void): void {
    this.#enqueue = enqueue;
  }

  suspect(clusterKey: string, uid: string): void {
    const suspects = this.#suspects.get(clusterKey) ?? new Map<string, number>();
    if (!suspects.has(uid)) suspects.set(uid, this.#dependencies.clock.now());
    this.#suspects.set(clusterKey, suspects);
    this.#enqueue(clusterKey);
  }

  /** Suspects all that the caches have no Cluster of, and no longer what others have ended. */
  async scan(): Promise<void> {
    const { client, cache } = this.#dependencies;
    const records = await listRoots(client);
    const uids = new Set(records.map(({ uid }) => uid));
    for (const [key, suspects] of this.#suspects) {
      for (const uid of suspects.keys()) if (!uids.has(uid)) suspects.delete(uid);
      if (suspects.size === 0) this.#suspects.delete(key);
    }
    for (const { uid, clusterKey } of records) {
      if (cache.clusters.find(clustersByIdentity, uid).length === 0) this.suspect(clusterKey, uid);
    }
  }

  /** Drops the suspicions about clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#suspects.keys()) if (isMatching(key)) this.#suspects.delete(key);
  }

  /** `key` is `namespace/name` of Clusters that are gone. Rejects with the API's error. */
  async reconcile(key: string, { signal }: ReconcileContext): Promise<Result> {
    const suspects = this.#suspects.get(key);
    let waitMs = Number.POSITIVE_INFINITY;
    for (const [uid, sinceMs] of suspects ?? []) {
      const leftMs = await this.#step(key, uid, sinceMs, signal);
      if (leftMs === undefined) suspects?.delete(uid);
      else waitMs = Math.min(waitMs, leftMs);
    }
    if (suspects?.size === 0) this.#suspects.delete(key);
    return Number.isFinite(waitMs) ? { requeueAfterMs: waitMs } : {};
  }

  /** Milliseconds until the next look; undefined when there is nothing left to look for. */
  async #step(key: string, uid: string, sinceMs: number, signal: AbortSignal): Promise<number | undefined> {
    const { client, cache, clock, vanishedGraceMs = GRACE_MS } = this.#dependencies;
    if (cache.clusters.find(clustersByIdentity, uid).length > 0) return undefined;
    const leftMs = sinceMs + vanishedGraceMs - clock.now();
    if (leftMs > 0) return leftMs;
    const [vanished] = await withoutCluster(client, await listRoots(client, uid));
    if (vanished === undefined || vanished.clusterKey !== key) return undefined;
    if (vanished.isHeld) {
      this.#tell(vanished, 'is left alone, for it was restored or is paused');
      return undefined;
    }
    return this.#sweep(vanished, signal);
  }

  async #sweep(vanished: RootsRecord, signal: AbortSignal): Promise<number | undefined> {
    const { runtime, credentials, tenants, clouds, clock } = this.#dependencies;
    const { uid, clusterKey } = vanished;
    tenants.remove(uid);
    if (!(await runtime.remove(uid))) return RETRY_MS;
    try {
      for (const cloud of this.#projectsOf(clusterKey)) {
        const leftover = await deleteCloudResources(cloud, remainsOf(vanished), signal);
        if (leftover) return Math.max(leftover.retryAfterMs ?? RETRY_MS, RETRY_MS);
      }
    } catch (error) {
      const problem = cloudProblemOf(lastFailure(error), clock.now());
      if (problem === undefined) throw error;
      this.#tell(vanished, `can not be ended yet: ${problem.message}`);
      return Math.max(problem.retryAfterMs ?? 0, PROBLEM_RETRY_MS);
    }
    await credentials.remove(uid);
    if (this.#dependencies.cache.clusters.get(clusterKey) === undefined) clouds.release((each) => each === clusterKey);
    this.#tell(vanished, 'was ended: control plane, servers, network and roots of trust');
    return undefined;
  }

  /** Whose credential the cluster had went with it: all projects of its namespace are looked at, for its own marks alone. */
  #projectsOf(clusterKey: string): readonly ProjectCloud[] {
    const { cache, clouds } = this.#dependencies;
    const names = cache.credentials
      .list()
      .filter(({ metadata }) => metadata.namespace === namespaceOf(clusterKey))
      .map(({ metadata }) => metadata.name);
    const projects = [undefined, ...names].map((name) => clouds.of(clusterKey, name));
    return [...new Set(projects)].filter((cloud) => cloud !== undefined);
  }

  #tell(vanished: RootsRecord, what: string): void {
    const { events, log } = this.#dependencies;
    const { uid, clusterKey } = vanished;
    log.warn({ cluster: clusterKey, clusterUid: uid }, `what is left of a cluster whose Cluster is gone ${what}`);
    events.warning(
      remainsOf(vanished),
      'ClusterVanished',
      `the Cluster went without Fairway; what is left of it ${what}`,
    );
  }
}

/** As much of the Cluster as there is to say. */
function remainsOf({ uid, clusterKey }: RootsRecord): Cluster {
  const namespace = namespaceOf(clusterKey);
  const name = clusterKey.slice(namespace.length + 1);
  const network = { gateway: { mode: 'Router' } };
  return {
    apiVersion: API_VERSION,
    kind: clusters.kind,
    metadata: { name, namespace, uid },
    spec: { network },
  } as unknown as Cluster;
}
