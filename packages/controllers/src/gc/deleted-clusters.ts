import type { Informer } from '@fairway/kube/client/informer';
import type { KubeObject } from '@fairway/kube/object/meta';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { remainingProblem } from '../cluster/remaining-resources.ts';
import type { ControllerDependencies } from '../dependencies.ts';
import { MAX_RECORDS, nextSweepMs, orphanAction, RECORD_RETENTION_MS, recordsBeyondLimit } from './decision.ts';
import {
  type DeletedClusterRecord,
  deletedByCluster,
  deletedByNamespace,
  deletedClusterRecord,
  removeDeletedClusterRecord,
} from './deleted-cluster-record.ts';
import type { KnownOrphans, OrphanState } from './metrics.ts';
import {
  listCaSecrets,
  namespaceOf,
  placeholderCluster,
  recordsWithoutCluster,
} from './missing-clusters/missing-clusters.ts';
import {
  deleteRemainingResources,
  type FoundResources,
  findRemainingResources,
} from './missing-clusters/remaining-resources.ts';

type Dependencies = Pick<
  ControllerDependencies,
  'attempts' | 'cache' | 'client' | 'clock' | 'events' | 'log' | 'orphans' | 'projects'
>;

/** Maximum age of a list at the first check, so that the clusters of a project share one. */
const MAX_AGE_MS = 300_000;
/** Times in records are whole seconds. */
const TIME_UNIT_MS = 1_000;
/** How long after a deletion to check whether everything has been deleted. */
const RETRY_MS = 60_000;
/** The retry interval of a failed check. */
const RETRY_INTERVAL_MS = 900_000;
/** How often to check for resources that an operator must delete. */
const REMAINING_RETRY_MS = 86_400_000;

/** State of a deleted cluster in this process. */
interface SweepState {
  readonly clusterKey: string;
  /** When to check next. */
  dueMs: number;
  /** The annotation's value at the last requested check. */
  requested: string | undefined;
  /** Lists requested before this time do not reflect later deletions. */
  changedMs: number;
  orphans: KnownOrphans | undefined;
  /** IDs of reported resources. */
  readonly reported: Set<string>;
  /** The last reported reason why the resources remain. */
  failure: string;
}

/**
 * Deletes cloud resources that appear after this Fairway has deleted their cluster: created by requests that took
 * effect long after anything stopped waiting for them.
 *
 * **Guarantees.** It only deletes resources with the tag of a cluster that is recorded here as deleted, in the project
 * that it was in, and whose UID belongs to no Cluster or CA Secret, according to the API server. Resources of a UID
 * without a record belong to another Fairway. After RECORD_MS no more checks are made.
 */
export class DeletedClusterGC {
  readonly #dependencies: Dependencies;
  readonly #records: Informer<KubeObject>;
  readonly #known = new Map<string, SweepState>();
  readonly #onDeleted: (kind: string, count: number) => void;

  /** `deleted` is called with the number of deleted resources, by kind. */
  constructor(
    dependencies: Dependencies,
    records: Informer<KubeObject>,
    deleted: (kind: string, count: number) => void,
  ) {
    this.#dependencies = dependencies;
    this.#records = records;
    this.#onDeleted = deleted;
  }

  *orphans(): Iterable<KnownOrphans> {
    for (const { orphans } of this.#known.values()) if (orphans) yield orphans;
  }

  /** Drops state of clusters that another process has taken over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const [uid, { clusterKey }] of this.#known) if (isMatching(clusterKey)) this.#known.delete(uid);
  }

  /** Checks the deleted clusters of this key, when due or requested. Failures back off individually. */
  async sweep(clusterKey: string, pass: Pass): Promise<void> {
    const { attempts, client, clock } = this.#dependencies;
    const records = this.#recordsOf(clusterKey);
    if (records.length > 0) await this.#trim(clusterKey);
    for (const record of records) {
      const known = this.#sweepState(record);
      if (record.requested !== known.requested) this.#sweepImmediately(record, known);
      const attempt = { kind: 'sweep ended clusters', item: record.uid };
      const { failure } = await pass.run(() => attempts.withBackoff(attempt, () => this.#sweep(record, known, pass)));
      if (failure === undefined) continue;
      if (known.orphans !== undefined) this.#recordFailure(record, known, failure);
      else if (clock.now() > record.endedMs + RECORD_RETENTION_MS) await removeDeletedClusterRecord(client, record);
      else known.dueMs = Math.max(known.dueMs, clock.now() + RETRY_INTERVAL_MS);
    }
  }

  #recordsOf(clusterKey: string): readonly DeletedClusterRecord[] {
    const { attempts } = this.#dependencies;
    const objects = this.#records.find(deletedByCluster, clusterKey);
    const records = objects.map(deletedClusterRecord).filter((record) => record !== undefined);
    for (const [uid, known] of this.#known) {
      if (known.clusterKey !== clusterKey || records.some((record) => record.uid === uid)) continue;
      this.#known.delete(uid);
      attempts.forget(uid);
    }
    return records;
  }

  #sweepImmediately({ uid, requested }: DeletedClusterRecord, known: SweepState): void {
    const { attempts, clock } = this.#dependencies;
    known.requested = requested;
    known.dueMs = clock.now();
    attempts.retryNow((item) => item === uid);
  }

  /** Deletes the oldest records of a namespace that has too many. */
  async #trim(clusterKey: string): Promise<void> {
    const objects = this.#records.find(deletedByNamespace, namespaceOf(clusterKey));
    if (objects.length <= MAX_RECORDS) return;
    const records = objects.map(deletedClusterRecord).filter((record) => record !== undefined);
    for (const record of recordsBeyondLimit(records))
      await removeDeletedClusterRecord(this.#dependencies.client, record);
  }

  async #sweep(record: DeletedClusterRecord, known: SweepState, pass: Pass): Promise<void> {
    const { clock } = this.#dependencies;
    if (known.dueMs > clock.now()) return pass.requeueAfter(known.dueMs - clock.now());
    if (this.#hasInstance(record)) return this.#sweepLater(record, known, pass);
    const cloud = await this.#projectOf(record);
    const found =
      cloud && (await findRemainingResources(cloud, record.uid, Math.max(clock.now() - MAX_AGE_MS, known.changedMs)));
    if (cloud === undefined || found === undefined) return this.#sweepLater(record, known, pass);
    await this.#decide(record, known, cloud, found, pass);
  }

  async #decide(
    record: DeletedClusterRecord,
    known: SweepState,
    cloud: ProjectCloud,
    found: FoundResources,
    pass: Pass,
  ): Promise<void> {
    const action = orphanAction(found, record.endedMs, this.#dependencies.orphans ?? 'Delete');
    switch (action) {
      case 'nothing':
        known.orphans = undefined;
        return this.#sweepLater(record, known, pass);
      case 'hold':
      case 'report':
        this.#note(known, 'held', found);
        this.#recordFound(record, known, found, HELD_ADVICE[action]);
        return this.#sweepLater(record, known, pass, action === 'report');
      case 'delete':
        if (await this.#existsInApi(record)) return this.#sweepLater(record, known, pass);
        this.#note(known, 'deleting', found);
        return this.#delete(record, known, cloud, found, pass);
    }
  }

  /** Deletes the found resources. Rejects with the reason for waiting, so that the steps back off. */
  async #delete(
    record: DeletedClusterRecord,
    known: SweepState,
    cloud: ProjectCloud,
    found: FoundResources,
    pass: Pass,
  ): Promise<void> {
    const { clock } = this.#dependencies;
    pass.signal.throwIfAborted();
    this.#recordFound(record, known, found, 'appeared after its deletion and is being deleted');
    const remaining = await deleteRemainingResources(cloud, placeholderCluster(record), found, { signal: pass.signal });
    known.changedMs = clock.now();
    if (remaining) throw new ProblemError(remainingProblem(remaining));
    for (const [kind, items] of found) this.#onDeleted(kind, items.length);
    known.dueMs = clock.now() + RETRY_MS;
    pass.requeueAfter(RETRY_MS);
  }

  /**
   * Checks again at the next scheduled time. After the last one the record is deleted, or checked every day while
   * resources remain that an operator must delete.
   */
  async #sweepLater(record: DeletedClusterRecord, known: SweepState, pass: Pass, hasRemaining = false): Promise<void> {
    const { client, clock } = this.#dependencies;
    const nowMs = clock.now();
    const nextMs = nextSweepMs(record.endedMs, nowMs) ?? (hasRemaining ? nowMs + REMAINING_RETRY_MS : undefined);
    if (nextMs === undefined) return removeDeletedClusterRecord(client, record);
    known.dueMs = nextMs;
    pass.requeueAfter(nextMs - nowMs);
  }

  /** Whether the cluster exists according to the caches, which costs no request. */
  #hasInstance({ uid }: DeletedClusterRecord): boolean {
    return this.#dependencies.cache.clusters.find(clustersByIdentity, uid).length > 0;
  }

  /**
   * Whether the UID belongs to a Cluster according to the API server, or to a CA Secret, which another controller then
   * handles.
   */
  async #existsInApi(record: DeletedClusterRecord): Promise<boolean> {
    const { client } = this.#dependencies;
    const [missingRecord] = await recordsWithoutCluster(client, [record]);
    return missingRecord === undefined || (await listCaSecrets(client, record.uid)).length > 0;
  }

  /** The project that the cluster was in; undefined if it is no longer reachable. */
  async #projectOf({ clusterKey, credentialName, projectID }: DeletedClusterRecord): Promise<ProjectCloud | undefined> {
    const cloud = this.#dependencies.projects.forNamespace(namespaceOf(clusterKey), credentialName);
    if (cloud === undefined || projectID === undefined) return cloud;
    return (await cloud.client.session.projectId()) === projectID ? cloud : undefined;
  }

  #sweepState({ uid, clusterKey, endedMs, requested }: DeletedClusterRecord): SweepState {
    const found = this.#known.get(uid);
    if (found) return found;
    const nowMs = this.#dependencies.clock.now();
    const dueMs = nextSweepMs(endedMs, nowMs) ?? nowMs;
    // The cluster's resources may have existed until then.
    const changedMs = endedMs + TIME_UNIT_MS;
    const reported = new Set<string>();
    const known = { clusterKey, dueMs, requested, changedMs, orphans: undefined, reported, failure: '' };
    this.#known.set(uid, known);
    return known;
  }

  #note(known: SweepState, state: OrphanState, found: FoundResources): void {
    known.orphans = { state, counts: new Map([...found].map(([kind, items]) => [kind, items.length])) };
  }

  /** Records an Event, once for each resource. */
  #recordFound(record: DeletedClusterRecord, { reported }: SweepState, found: FoundResources, what: string): void {
    const ids = [...found.values()].flat().map(({ id }) => id);
    if (ids.every((id) => reported.has(id))) return;
    for (const id of ids) reported.add(id);
    this.#recordClusterEvent(record, 'OrphanFound', `${describeFound(found)} ${what}`);
  }

  /** Records an Event about a failure. Waiting for a deletion in progress is not a failure. */
  #recordFailure(record: DeletedClusterRecord, known: SweepState, { reason, message }: Failure): void {
    if (reason === 'Deleting' || known.failure === message) return;
    known.failure = message;
    this.#recordClusterEvent(
      record,
      'OrphanNotDeleted',
      `resources that appeared after its deletion cannot be deleted yet: ${message}`,
    );
  }

  #recordClusterEvent(record: DeletedClusterRecord, reason: string, what: string): void {
    const { events, log } = this.#dependencies;
    const { uid, clusterKey } = record;
    log.warn({ cluster: clusterKey, clusterUid: uid }, `resources of a deleted cluster: ${what}`);
    events.warning(placeholderCluster(record), reason, `resources of deleted cluster ${uid}: ${what}`);
  }
}

const HELD_ADVICE = {
  hold: 'was created long after the cluster was deleted: another Fairway manages the cluster; nothing is deleted here',
  report: 'appeared after its deletion; delete it manually',
} as const;

/** Kinds with their IDs, the first few of each. */
function describeFound(found: FoundResources): string {
  return [...found].map(([kind, items]) => `${kind} ${firstIDs(items.map(({ id }) => id))}`).join(', ');
}

const MAX_REPORTED_IDS = 3;

function firstIDs(ids: readonly string[]): string {
  const more = ids.length - MAX_REPORTED_IDS;
  return more > 0 ? `${ids.slice(0, MAX_REPORTED_IDS).join(' ')} and ${more} more` : ids.join(' ');
}
