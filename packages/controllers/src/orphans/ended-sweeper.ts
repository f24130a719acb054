import type { Informer } from '@fairway/kube/client/informer';
import type { KubeObject } from '@fairway/kube/object/meta';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { ControllerDependencies } from '../dependencies.ts';
import { deleteRemains, findRemains, type Remains } from '../vanished/cloud-remains.ts';
import { listRoots, namespaceOf, standInOf, withoutCluster } from '../vanished/vanished-clusters.ts';
import { beyondLimit, judgeRemains, MAX_RECORDS, nextLookMs, RECORD_MS } from './decision.ts';
import { type EndedRecord, endedByCluster, endedByNamespace, endedRecordOf, forgetEnded } from './ended-clusters.ts';
import type { KnownOrphans, OrphanState } from './metrics.ts';

type Dependencies = Pick<
  ControllerDependencies,
  'attempts' | 'cache' | 'client' | 'clock' | 'events' | 'log' | 'orphans' | 'projects'
>;

/** How old a list may be at the first look, so that the clusters of a project share one. */
const MAX_AGE_MS = 300_000;
/** The records' times are whole seconds. */
const TIME_UNIT_MS = 1_000;
/** How long after a deletion it is looked whether all is gone. */
const AGAIN_MS = 60_000;
/** A look that fails is made again as seldom. */
const LOOK_RETRY_MS = 900_000;
/** How often it is looked for what a person is to delete. */
const LEFT_MS = 86_400_000;

/** What this process knows of an ended cluster. */
interface Known {
  readonly clusterKey: string;
  /** When it is looked next. */
  dueMs: number;
  /** What the annotation said when somebody asked last. */
  requested: string | undefined;
  /** Lists that began earlier don't show what was deleted since. */
  changedMs: number;
  orphans: KnownOrphans | undefined;
  /** Ids of what was found that were told. */
  readonly told: Set<string>;
  /** Why it stays, told last. */
  failure: string;
}

/**
 * Deletes what turns up in the cloud of clusters that this Fairway has deleted: by requests that took effect long after nobody waited for them any more.
 *
 * **Guarantees.** Only what carries the mark of a cluster that is on record here as deleted, in the project that it was in, and whose UID neither a Cluster
 * nor roots of trust have by the API server's own word. Resources of a UID without a record are another Fairway's. After RECORD_MS nobody looks any more.
 */
export class EndedSweeper {
  readonly #dependencies: Dependencies;
  readonly #records: Informer<KubeObject>;
  readonly #known = new Map<string, Known>();
  readonly #deleted: (kind: string, count: number) => void;

  /** `deleted` is told of what was deleted, by kind. */
  constructor(
    dependencies: Dependencies,
    records: Informer<KubeObject>,
    deleted: (kind: string, count: number) => void,
  ) {
    this.#dependencies = dependencies;
    this.#records = records;
    this.#deleted = deleted;
  }

  *orphans(): Iterable<KnownOrphans> {
    for (const { orphans } of this.#known.values()) if (orphans) yield orphans;
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const [uid, { clusterKey }] of this.#known) if (isMatching(clusterKey)) this.#known.delete(uid);
  }

  /** Looks at the ended clusters of this key, when it is time or a person asks. Their failures rest by themselves. */
  async sweep(clusterKey: string, pass: Pass): Promise<void> {
    const { attempts, client, clock } = this.#dependencies;
    const records = this.#recordsOf(clusterKey);
    if (records.length > 0) await this.#trim(clusterKey);
    for (const record of records) {
      const known = this.#knownOf(record);
      if (record.requested !== known.requested) this.#lookNow(record, known);
      const attempt = { kind: 'sweep ended clusters', item: record.uid };
      const { failure } = await pass.run(() => attempts.make(attempt, () => this.#look(record, known, pass)));
      if (failure === undefined) continue;
      if (known.orphans !== undefined) this.#tellFailure(record, known, failure);
      else if (clock.now() > record.endedMs + RECORD_MS) await forgetEnded(client, record);
      else known.dueMs = Math.max(known.dueMs, clock.now() + LOOK_RETRY_MS);
    }
  }

  #recordsOf(clusterKey: string): readonly EndedRecord[] {
    const { attempts } = this.#dependencies;
    const objects = this.#records.find(endedByCluster, clusterKey);
    const records = objects.map(endedRecordOf).filter((record) => record !== undefined);
    for (const [uid, known] of this.#known) {
      if (known.clusterKey !== clusterKey || records.some((record) => record.uid === uid)) continue;
      this.#known.delete(uid);
      attempts.forget(uid);
    }
    return records;
  }

  #lookNow({ uid, requested }: EndedRecord, known: Known): void {
    const { attempts, clock } = this.#dependencies;
    known.requested = requested;
    known.dueMs = clock.now();
    attempts.retryNow((item) => item === uid);
  }

  /** Of a namespace that has too many records the oldest go. */
  async #trim(clusterKey: string): Promise<void> {
    const objects = this.#records.find(endedByNamespace, namespaceOf(clusterKey));
    if (objects.length <= MAX_RECORDS) return;
    const records = objects.map(endedRecordOf).filter((record) => record !== undefined);
    for (const record of beyondLimit(records)) await forgetEnded(this.#dependencies.client, record);
  }

  async #look(record: EndedRecord, known: Known, pass: Pass): Promise<void> {
    const { clock } = this.#dependencies;
    if (known.dueMs > clock.now()) return pass.againIn(known.dueMs - clock.now());
    if (this.#isHere(record)) return this.#lookLater(record, known, pass);
    const cloud = await this.#projectOf(record);
    const found = cloud && (await findRemains(cloud, record.uid, Math.max(clock.now() - MAX_AGE_MS, known.changedMs)));
    if (cloud === undefined || found === undefined) return this.#lookLater(record, known, pass);
    await this.#judge(record, known, cloud, found, pass);
  }

  async #judge(record: EndedRecord, known: Known, cloud: ProjectCloud, found: Remains, pass: Pass): Promise<void> {
    const verdict = judgeRemains(found, record.endedMs, this.#dependencies.orphans ?? 'Delete');
    switch (verdict) {
      case 'nothing':
        known.orphans = undefined;
        return this.#lookLater(record, known, pass);
      case 'hold':
      case 'report':
        this.#note(known, 'held', found);
        this.#tell(record, known, found, WHY_HELD[verdict]);
        return this.#lookLater(record, known, pass, verdict === 'report');
      case 'delete':
        if (await this.#isLiving(record)) return this.#lookLater(record, known, pass);
        this.#note(known, 'deleting', found);
        return this.#delete(record, known, cloud, found, pass);
    }
  }

  /** Rejects with what it waits for, so that the steps come in pauses that grow. */
  async #delete(record: EndedRecord, known: Known, cloud: ProjectCloud, found: Remains, pass: Pass): Promise<void> {
    const { clock } = this.#dependencies;
    pass.signal.throwIfAborted();
    this.#tell(record, known, found, 'turned up after its deletion and is deleted');
    const leftover = await deleteRemains(cloud, standInOf(record), found, { signal: pass.signal });
    known.changedMs = clock.now();
    if (leftover) throw new ProblemError({ reason: 'Deleting', message: `waiting for ${leftover.what}` });
    for (const [kind, items] of found) this.#deleted(kind, items.length);
    known.dueMs = clock.now() + AGAIN_MS;
    pass.againIn(AGAIN_MS);
  }

  /** At the next of the looks. After the last one the record goes, or it is looked every day while something is left that a person is to delete. */
  async #lookLater(record: EndedRecord, known: Known, pass: Pass, isLeft = false): Promise<void> {
    const { client, clock } = this.#dependencies;
    const nowMs = clock.now();
    const nextMs = nextLookMs(record.endedMs, nowMs) ?? (isLeft ? nowMs + LEFT_MS : undefined);
    if (nextMs === undefined) return forgetEnded(client, record);
    known.dueMs = nextMs;
    pass.againIn(nextMs - nowMs);
  }

  /** By the caches: then there is nothing to ask. */
  #isHere({ uid }: EndedRecord): boolean {
    return this.#dependencies.cache.clusters.find(clustersByIdentity, uid).length > 0;
  }

  /** By the API server: whether there is a Cluster of the UID, or what is left of one that somebody else ends. */
  async #isLiving(record: EndedRecord): Promise<boolean> {
    const { client } = this.#dependencies;
    const [gone] = await withoutCluster(client, [record]);
    return gone === undefined || (await listRoots(client, record.uid)).length > 0;
  }

  /** Where the cluster was; undefined when nobody can get there any more. */
  async #projectOf({ clusterKey, credentialName, projectID }: EndedRecord): Promise<ProjectCloud | undefined> {
    const cloud = this.#dependencies.projects.forNamespace(namespaceOf(clusterKey), credentialName);
    if (cloud === undefined || projectID === undefined) return cloud;
    return (await cloud.client.session.projectId()) === projectID ? cloud : undefined;
  }

  #knownOf({ uid, clusterKey, endedMs, requested }: EndedRecord): Known {
    const found = this.#known.get(uid);
    if (found) return found;
    const nowMs = this.#dependencies.clock.now();
    const dueMs = nextLookMs(endedMs, nowMs) ?? nowMs;
    // Its resources were there until then.
    const changedMs = endedMs + TIME_UNIT_MS;
    const told = new Set<string>();
    const known = { clusterKey, dueMs, requested, changedMs, orphans: undefined, told, failure: '' };
    this.#known.set(uid, known);
    return known;
  }

  #note(known: Known, state: OrphanState, found: Remains): void {
    known.orphans = { state, counts: new Map([...found].map(([kind, items]) => [kind, items.length])) };
  }

  /** Of each resource once. */
  #tell(record: EndedRecord, { told }: Known, found: Remains, what: string): void {
    const ids = [...found.values()].flat().map(({ id }) => id);
    if (ids.every((id) => told.has(id))) return;
    for (const id of ids) told.add(id);
    this.#say(record, 'OrphanFound', `${toldOf(found)} ${what}`);
  }

  /** A wait for what the cloud is deleting is none. */
  #tellFailure(record: EndedRecord, known: Known, { reason, message }: Failure): void {
    if (reason === 'Deleting' || known.failure === message) return;
    known.failure = message;
    this.#say(record, 'OrphanNotDeleted', `what turned up after its deletion cannot be deleted yet: ${message}`);
  }

  #say(record: EndedRecord, reason: string, what: string): void {
    const { events, log } = this.#dependencies;
    const { uid, clusterKey } = record;
    log.warn({ cluster: clusterKey, clusterUid: uid }, `of a cluster that was deleted, ${what}`);
    events.warning(standInOf(record), reason, `of the deleted cluster ${uid}, ${what}`);
  }
}

const WHY_HELD = {
  hold: 'is there that was made long after its end: another Fairway has the cluster; nothing is deleted here',
  report: 'turned up after its deletion; delete it by hand',
} as const;

/** Kinds with their ids, the first few of each. */
function toldOf(found: Remains): string {
  return [...found].map(([kind, items]) => `${kind} ${firstOf(items.map(({ id }) => id))}`).join(', ');
}

const TOLD_IDS = 3;

function firstOf(ids: readonly string[]): string {
  const more = ids.length - TOLD_IDS;
  return more > 0 ? `${ids.slice(0, TOLD_IDS).join(' ')} and ${more} more` : ids.join(' ');
}
