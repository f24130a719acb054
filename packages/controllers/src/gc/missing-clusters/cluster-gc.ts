import type { Informer } from '@fairway/kube/client/informer';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { KubeObject } from '@fairway/kube/object/meta';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { wrapRuntimeError } from '@fairway/tenancy/reconcile/runtime-problem';
import { remainingProblem } from '../../cluster/remaining-resources.ts';
import type { ControllerDependencies } from '../../dependencies.ts';
import { recordDeletedCluster } from '../deleted-cluster-record.ts';
import { MissingClusterMetrics, type RemainingResourceState } from './metrics.ts';
import {
  type CaSecretRecord,
  caSecretsByCluster,
  listCaSecrets,
  markMissing,
  namespaceOf,
  placeholderCluster,
  recordOf,
  recordsWithoutCluster,
} from './missing-clusters.ts';
import { missingStep, remainingMs } from './missing-step.ts';
import { deleteRemainingResources, findRemainingResources } from './remaining-resources.ts';

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
  | 'missingGraceMs'
>;

/** How long a Cluster must have been missing. A stale cache lasts moments; a restore or database recovery, minutes. */
const GRACE_MS = 600_000;

/** State of a missing cluster in this process; anything that must outlive it is stored on the CA Secret. */
interface Known {
  readonly clusterKey: string;
  state: RemainingResourceState;
  /** The last reported problem. */
  message: string;
  /** IDs by kind. */
  readonly found: Map<string, Set<string>>;
}

/**
 * Deletes the remaining resources of clusters whose Cluster was removed without Fairway's finalizer: control plane,
 * servers and network in every project in the namespace, PKI Secrets. It only considers clusters whose PKI Secret is
 * stored here, and resources tagged with their UID, so no one else's resources are touched.
 *
 * **Guarantees.** A Cluster must be found missing twice, a grace period apart, both times according to the API server;
 * the start of that period is stored on the CA Secret. That Secret is deleted last: after a crash at any point, the
 * next run finds the rest. Restored clusters, and those whose Secret is paused, are not touched.
 */
export class MissingClusterGC {
  readonly #dependencies: SweeperDependencies;
  readonly #caSecrets: Informer<KubeObject>;
  readonly #known = new Map<string, Known>();
  readonly #metrics: MissingClusterMetrics | undefined;

  constructor(dependencies: SweeperDependencies, caSecrets: Informer<KubeObject>) {
    this.#dependencies = dependencies;
    this.#caSecrets = caSecrets;
    const { registry } = dependencies;
    this.#metrics =
      registry && new MissingClusterMetrics(registry, () => [...this.#known.values()].map(({ state }) => state));
  }

  /** Drops the state of clusters that another process has taken over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const [uid, { clusterKey }] of this.#known) if (isMatching(clusterKey)) this.#known.delete(uid);
  }

  /** `key` is `namespace/name` of Clusters, existing or deleted. Rejects with the API's error. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, clock } = this.#dependencies;
    const pass = new Pass(context, clock);
    const records = this.#caSecrets
      .find(caSecretsByCluster, key)
      .map(recordOf)
      .filter((record) => record !== undefined);
    for (const [uid, { clusterKey }] of this.#known) {
      if (clusterKey !== key || records.some((record) => record.uid === uid)) continue;
      this.#known.delete(uid);
      attempts.forget(uid);
    }
    if (context.userTriggered) attempts.retryNow((item) => records.some(({ uid }) => uid === item));
    for (const record of records) {
      const { uid } = record;
      const { failure } = await pass.run(() =>
        attempts.withBackoff({ kind: 'sweep', item: uid }, () => this.#reconcileRecord(record, pass)),
      );
      const known = this.#known.get(uid);
      if (failure && known) this.#report(record, `cannot be deleted yet: ${failure.message}`, known);
    }
    return pass.end(() => Promise.resolve());
  }

  async #reconcileRecord(record: CaSecretRecord, pass: Pass): Promise<void> {
    const { cache, client, clock, missingGraceMs = GRACE_MS } = this.#dependencies;
    if (cache.clusters.find(clustersByIdentity, record.uid).length > 0) {
      this.#known.delete(record.uid);
      if (record.missingSinceMs !== undefined) await markMissing(client, record, undefined);
      return;
    }
    const leftMs = remainingMs(record, clock.now(), missingGraceMs);
    if (leftMs !== undefined && leftMs > 0) {
      this.#note(record, 'waiting');
      return pass.requeueAfter(leftMs);
    }
    const [missingCluster] = await recordsWithoutCluster(client, await listCaSecrets(client, record.uid));
    // Caches will receive the update.
    if (missingCluster === undefined || missingCluster.clusterKey !== record.clusterKey) return;
    const step = missingStep(missingCluster, clock.now(), missingGraceMs);
    switch (step.action) {
      case 'hold': {
        const known = this.#note(missingCluster, 'held');
        return this.#report(missingCluster, 'are left alone because the cluster was restored or is paused', known);
      }
      case 'mark': {
        await markMissing(client, missingCluster, clock.now());
        const known = this.#note(missingCluster, 'waiting');
        const seconds = Math.ceil(step.waitMs / 1000);
        this.#report(missingCluster, `will be deleted in ${seconds} s unless the Cluster is recreated`, known);
        return pass.requeueAfter(step.waitMs);
      }
      case 'wait':
        return pass.requeueAfter(step.waitMs);
      case 'delete':
        return this.#sweep(missingCluster, pass);
    }
  }

  /** Takes one step of the deletion. Rejects with the reason for waiting, so that the steps back off. */
  async #sweep(missingCluster: CaSecretRecord, { signal }: Pass): Promise<void> {
    const { cache, client, clock, runtime, credentials, tenants, clouds } = this.#dependencies;
    const { uid, clusterKey } = missingCluster;
    const known = this.#note(missingCluster, 'ending');
    tenants.remove(uid);
    if (!(await wrapRuntimeError(runtime.remove(uid)))) throw waitingError('its control plane');
    for (const cloud of this.#candidateProjects(missingCluster)) {
      const remains = await findRemainingResources(cloud, uid);
      for (const [kind, found] of remains) {
        const ids = found.map(({ id }) => id);
        this.#reportFound(missingCluster, known, kind, ids);
      }
      const remaining = await deleteRemainingResources(cloud, placeholderCluster(missingCluster), remains, { signal });
      if (remaining) throw new ProblemError(remainingProblem(remaining));
    }
    const { credentialName } = missingCluster;
    await recordDeletedCluster(client, { uid, clusterKey, credentialName: credentialName || undefined }, clock.now());
    await credentials.remove(uid);
    if (cache.clusters.get(clusterKey) === undefined) clouds.release((each) => each === clusterKey);
    const counts = [...known.found].map(([kind, ids]) => `${ids.size} ${kind}`);
    this.#report(missingCluster, `were deleted: ${['control plane', ...counts, 'CA certificates'].join(', ')}`, known);
    this.#metrics?.ended();
    this.#known.delete(uid);
  }

  /**
   * The cluster's credential may have been deleted with it: all projects of its namespace are searched, for the
   * cluster's own tags only. Throws a ProblemError if the project that it was in cannot be reached.
   */
  #candidateProjects({ clusterKey, credentialName }: CaSecretRecord): readonly ProjectCloud[] {
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
      ? `CloudCredential ${credentialName} no longer exists; recreate it in namespace ${namespace}`
      : `namespace ${namespace} has no cloud; set the annotation fairway.dev/cloud on it`;
    const alternative = `or manually delete the resources tagged with its UID, then the Secret with its CA certificates`;
    throw new ProblemError({ reason: 'CloudUnavailable', message: `${missing}, ${alternative}` });
  }

  #note({ uid, clusterKey }: CaSecretRecord, state: RemainingResourceState): Known {
    const known = this.#known.get(uid) ?? { clusterKey, state, message: '', found: new Map() };
    known.state = state;
    this.#known.set(uid, known);
    return known;
  }

  #reportFound({ uid, clusterKey }: CaSecretRecord, { found }: Known, kind: string, ids: readonly string[]): void {
    const before = found.get(kind) ?? new Set<string>();
    const fresh = ids.filter((id) => !before.has(id));
    if (fresh.length === 0) return;
    found.set(kind, new Set([...before, ...fresh]));
    this.#metrics?.found(kind, fresh.length);
    const fields = { cluster: clusterKey, clusterUid: uid, kind, ids: fresh };
    this.#dependencies.log.warn(fields, 'deleting resources without a Cluster');
  }

  /** Records an Event and a log entry, unless the last one was the same. */
  #report(missingCluster: CaSecretRecord, what: string, known: Known): void {
    if (known.message === what) return;
    known.message = what;
    const { events, log } = this.#dependencies;
    const { uid, clusterKey } = missingCluster;
    log.warn({ cluster: clusterKey, clusterUid: uid }, `remaining resources of a missing Cluster ${what}`);
    const message = `the Cluster was removed without Fairway's finalizer; its remaining resources ${what}`;
    events.warning(placeholderCluster(missingCluster), 'ClusterVanished', message);
  }
}

function waitingError(what: string): ProblemError {
  return new ProblemError({ reason: 'Deleting', message: `waiting for ${what}` });
}
