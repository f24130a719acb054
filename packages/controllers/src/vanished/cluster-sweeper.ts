import type { Informer } from '@fairway/kube/client/informer';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { KubeObject } from '@fairway/kube/object/meta';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ofRuntime } from '@fairway/tenancy/reconcile/runtime-problem';
import type { ControllerDependencies } from '../dependencies.ts';
import { recordEnd } from '../orphans/ended-clusters.ts';
import { deleteRemains, findRemains } from './cloud-remains.ts';
import { type RemainsState, VanishedMetrics } from './metrics.ts';
import {
  listRoots,
  namespaceOf,
  noteMissing,
  type RootsRecord,
  recordOf,
  rootsByCluster,
  standInOf,
  withoutCluster,
} from './vanished-clusters.ts';

type SweeperDependencies = Pick<
  ControllerDependencies,
  | 'attempts'
  | 'client'
  | 'cache'
  | 'clouds'
  | 'runtime'
  | 'credentials'
  | 'tenants'
  | 'events'
  | 'clock'
  | 'log'
  | 'registry'
  | 'vanishedGraceMs'
>;

/** How long a Cluster must be missing. Caches are stale for moments, a restore or a recovering database takes minutes. */
const GRACE_MS = 600_000;

/** What this process knows of a cluster that is gone; what must outlive it stands on the roots. */
interface Known {
  readonly clusterKey: string;
  state: RemainsState;
  /** Told last. */
  message: string;
  /** Ids by kind. */
  readonly found: Map<string, Set<string>>;
}

/**
 * Deletes the leftovers of clusters whose Cluster was removed without Fairway: control plane, servers and network in every project of the namespace,
 * PKI Secrets. It only considers clusters whose PKI Secret is here and resources marked with their UID, so nothing of anyone else is touched.
 *
 * **Guarantees.** A Cluster must be missing twice, a grace period apart, both times by the API server's own word; when that period began is kept on the
 * roots. The roots go last: killed anywhere, the next run finds the rest. Clusters of a backup, and those whose Secret is paused, are left alone.
 */
export class ClusterSweeper {
  readonly #dependencies: SweeperDependencies;
  readonly #roots: Informer<KubeObject>;
  readonly #known = new Map<string, Known>();
  readonly #metrics: VanishedMetrics | undefined;

  constructor(dependencies: SweeperDependencies, roots: Informer<KubeObject>) {
    this.#dependencies = dependencies;
    this.#roots = roots;
    const { registry } = dependencies;
    this.#metrics =
      registry && new VanishedMetrics(registry, () => [...this.#known.values()].map(({ state }) => state));
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const [uid, { clusterKey }] of this.#known) if (isMatching(clusterKey)) this.#known.delete(uid);
  }

  /** `key` is `namespace/name` of Clusters, there or gone. Rejects with the API's error. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, clock } = this.#dependencies;
    const pass = new Pass(context, clock);
    const records = this.#roots
      .find(rootsByCluster, key)
      .map(recordOf)
      .filter((record) => record !== undefined);
    for (const [uid, { clusterKey }] of this.#known) {
      if (clusterKey !== key || records.some((record) => record.uid === uid)) continue;
      this.#known.delete(uid);
      attempts.forget(uid);
    }
    if (context.isAsked) attempts.retryNow((item) => records.some(({ uid }) => uid === item));
    for (const record of records) {
      const { uid } = record;
      const { failure } = await pass.run(() =>
        attempts.make({ kind: 'sweep', item: uid }, () => this.#look(record, pass)),
      );
      const known = this.#known.get(uid);
      if (failure && known) this.#tell(record, `cannot be ended yet: ${failure.message}`, known);
    }
    return pass.end(() => Promise.resolve());
  }

  async #look(record: RootsRecord, pass: Pass): Promise<void> {
    const { cache, client, clock, vanishedGraceMs = GRACE_MS } = this.#dependencies;
    if (cache.clusters.find(clustersByIdentity, record.uid).length > 0) {
      this.#known.delete(record.uid);
      if (record.missingSinceMs !== undefined) await noteMissing(client, record, undefined);
      return;
    }
    const leftMs = remainingMs(record, clock.now(), vanishedGraceMs);
    if (leftMs !== undefined && leftMs > 0) {
      this.#note(record, 'waiting');
      return pass.againIn(leftMs);
    }
    const [vanished] = await withoutCluster(client, await listRoots(client, record.uid));
    // Caches will hear of it.
    if (vanished === undefined || vanished.clusterKey !== record.clusterKey) return;
    if (vanished.isHeld) {
      const known = this.#note(vanished, 'held');
      return this.#tell(vanished, 'is left alone, for it was restored or is paused', known);
    }
    const freshMs = remainingMs(vanished, clock.now(), vanishedGraceMs);
    if (freshMs === undefined) {
      await noteMissing(client, vanished, clock.now());
      const known = this.#note(vanished, 'waiting');
      this.#tell(vanished, `is ended in ${Math.ceil(vanishedGraceMs / 1000)} s unless the Cluster comes back`, known);
    }
    const waitMs = freshMs ?? vanishedGraceMs;
    if (waitMs > 0) return pass.againIn(waitMs);
    await this.#sweep(vanished, pass);
  }

  /** One step. Rejects with what it waits for, so that the steps come in pauses that grow. */
  async #sweep(vanished: RootsRecord, { signal }: Pass): Promise<void> {
    const { cache, client, clock, runtime, credentials, tenants, clouds } = this.#dependencies;
    const { uid, clusterKey } = vanished;
    const known = this.#note(vanished, 'ending');
    tenants.remove(uid);
    if (!(await ofRuntime(runtime.remove(uid)))) throw waitingFor('its control plane');
    for (const cloud of this.#projectsOf(vanished)) {
      const remains = await findRemains(cloud, uid);
      for (const [kind, found] of remains) {
        const ids = found.map(({ id }) => id);
        this.#noteFound(vanished, known, kind, ids);
      }
      const leftover = await deleteRemains(cloud, standInOf(vanished), remains, { signal });
      if (leftover) throw waitingFor(leftover.what);
    }
    const { credentialName } = vanished;
    await recordEnd(client, { uid, clusterKey, credentialName: credentialName || undefined }, clock.now());
    await credentials.remove(uid);
    if (cache.clusters.get(clusterKey) === undefined) clouds.release((each) => each === clusterKey);
    const counts = [...known.found].map(([kind, ids]) => `${ids.size} ${kind}`);
    this.#tell(vanished, `was ended: ${['control plane', ...counts, 'roots of trust'].join(', ')}`, known);
    this.#metrics?.ended();
    this.#known.delete(uid);
  }

  /**
   * Whose credential the cluster had may be gone with it: all projects of its namespace are looked at, for its own marks alone. Throws a ProblemError when
   * the one that it was in can't be reached.
   */
  #projectsOf({ clusterKey, credentialName }: RootsRecord): readonly ProjectCloud[] {
    const { cache, clouds } = this.#dependencies;
    const namespace = namespaceOf(clusterKey);
    const names = cache.credentials.list(namespace).map(({ metadata }) => metadata.name);
    const projects = [undefined, ...names].map((name) => clouds.of(clusterKey, name));
    const found = [...new Set(projects)].filter((cloud) => cloud !== undefined);
    const isReachable =
      credentialName === undefined
        ? found.length > 0
        : clouds.of(clusterKey, credentialName || undefined) !== undefined;
    if (isReachable) return found;
    const missing = credentialName
      ? `CloudCredential ${credentialName} is gone; make it again in namespace ${namespace}`
      : `namespace ${namespace} has no cloud; set the annotation fairway.dev/cloud on it`;
    const otherwise = `or delete by hand what carries its UID, then the Secret of its roots of trust`;
    throw new ProblemError({ reason: 'CloudUnavailable', message: `${missing}, ${otherwise}` });
  }

  #note({ uid, clusterKey }: RootsRecord, state: RemainsState): Known {
    const known = this.#known.get(uid) ?? { clusterKey, state, message: '', found: new Map() };
    known.state = state;
    this.#known.set(uid, known);
    return known;
  }

  #noteFound({ uid, clusterKey }: RootsRecord, { found }: Known, kind: string, ids: readonly string[]): void {
    const before = found.get(kind) ?? new Set<string>();
    const fresh = ids.filter((id) => !before.has(id));
    if (fresh.length === 0) return;
    found.set(kind, new Set([...before, ...fresh]));
    this.#metrics?.found(kind, fresh.length);
    const fields = { cluster: clusterKey, clusterUid: uid, kind, ids: fresh };
    this.#dependencies.log.warn(fields, 'resources without a Cluster are deleted');
  }

  /** Once, as long as it stays the same. */
  #tell(vanished: RootsRecord, what: string, known: Known): void {
    if (known.message === what) return;
    known.message = what;
    const { events, log } = this.#dependencies;
    const { uid, clusterKey } = vanished;
    log.warn({ cluster: clusterKey, clusterUid: uid }, `what is left of a cluster whose Cluster is gone ${what}`);
    const message = `the Cluster went without Fairway; what is left of it ${what}`;
    events.warning(standInOf(vanished), 'ClusterVanished', message);
  }
}

/** Undefined where nobody has found the Cluster missing. A clock that was set back makes nobody wait for longer than the grace. */
function remainingMs({ missingSinceMs }: RootsRecord, nowMs: number, graceMs: number): number | undefined {
  return missingSinceMs === undefined ? undefined : Math.min(missingSinceMs + graceMs - nowMs, graceMs);
}

function waitingFor(what: string): ProblemError {
  return new ProblemError({ reason: 'Deleting', message: `waiting for ${what}` });
}
