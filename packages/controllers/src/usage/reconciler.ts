import type { UsageObservation } from '@fairway/api/domain/usage/follow';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type UsageRecord, usageRecords } from '@fairway/api/kinds/usage-record';
import { RESTORE_PAUSE } from '@fairway/api/pause';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { Informer } from '@fairway/kube/client/informer';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByCluster, machinesByIdentity, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import type { EndTracker } from './end-tracker.ts';
import { isHeldByTenant } from './held-deletion.ts';
import { KindWatch } from './kind-watch.ts';
import { observeControlPlane, observeNodes, observeRootVolumes, runningOf, type ServerFacts } from './observations.ts';
import { observeKind, PROJECT_KINDS, type ProjectKind } from './project-kinds.ts';
import { recordOf, recordStep } from './record-step.ts';
import {
  endRecord,
  moveToSystemNamespace,
  type RecordWriter,
  recordObservations,
  recordsByCluster,
} from './records.ts';

type Dependencies = Pick<ControllerDependencies, 'client' | 'cache' | 'clouds' | 'clock' | 'usageRetentionMs'>;

/** How long after the start or end of a load balancer its related resources are checked, without a call to the cloud. */
const RECENT_CHANGE_MS = 600_000;
const RESYNC_INTERVAL_MS = 20_000;
/** How often to check whether a deletion is still blocked. */
const HELD_RESYNC_INTERVAL_MS = 60_000;
/** The maximum duration of a timer. */
const MAX_PAUSE_MS = 43_200_000;

/**
 * Maintains a UsageRecord for each cluster, by the key of its Cluster, existing or deleted. It ignores pauses, because
 * existing resources are in use regardless.
 */
export class UsageReconciler {
  readonly #dependencies: Dependencies;
  readonly #records: Informer<UsageRecord>;
  readonly #ends: EndTracker;
  readonly #watch = new KindWatch();

  constructor(dependencies: Dependencies, records: Informer<UsageRecord>, ends: EndTracker) {
    this.#dependencies = dependencies;
    this.#records = records;
    this.#ends = ends;
  }

  /** Stops listing for clusters that another process has taken over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    this.#watch.forget(isMatching);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, clock } = this.#dependencies;
    const pass = new Pass(context, clock);
    const cluster = cache.clusters.get(key);
    const records = this.#records.find(recordsByCluster, key);
    // When a cluster is restored, its record is restored too, possibly from a different time.
    const isRestored = cluster?.metadata.annotations?.[PAUSED_ANNOTATION] === RESTORE_PAUSE;
    for (const record of isRestored ? [] : records)
      await pass.run(() => this.#maintain(record, { cluster, records }, pass));
    if (cluster === undefined) this.forget((each) => each === key);
    else {
      const record = recordOf(records, cluster);
      // Anyone can set a restore's pause, but not the identity.
      const isComplete = !isRestored || cluster.status?.originUID === undefined || record?.status !== undefined;
      if (isComplete) await pass.run(() => this.#follow(key, cluster, record, pass));
    }
    return pass.end();
  }

  get #writer(): RecordWriter {
    const { client, clock, usageRetentionMs } = this.#dependencies;
    return { client, nowMs: clock.now(), retentionMs: usageRetentionMs };
  }

  /** Changes to a record that are not about the usage of its cluster. */
  async #maintain(
    record: UsageRecord,
    { cluster, records }: { readonly cluster: Cluster | undefined; readonly records: readonly UsageRecord[] },
    pass: Pass,
  ): Promise<void> {
    const { client, clock, usageRetentionMs: retentionMs } = this.#dependencies;
    const { name = '', namespace = '', uid = '' } = record.metadata;
    const step = recordStep(record, { cluster, records, nowMs: clock.now(), retentionMs });
    switch (step.action) {
      case 'move':
        return moveToSystemNamespace(client, record);
      case 'delete':
        return ignoreDeleted(client.resource(usageRecords).delete(name, { namespace, uid }));
      case 'check':
        if ((await this.#stored(record)) !== undefined) return pass.requeueAfter(MAX_PAUSE_MS);
        return endRecord(this.#writer, record, undefined);
      case 'wait':
        return pass.requeueAfter(Math.min(step.waitMs, MAX_PAUSE_MS));
      case 'none':
    }
  }

  async #isRestored({ metadata }: Cluster, record: UsageRecord): Promise<boolean> {
    if (metadata.deletionTimestamp !== undefined) return false;
    const stored = await this.#stored(record);
    return stored !== undefined && stored.metadata.deletionTimestamp === undefined;
  }

  /** The cluster of a record, from the API server: the cache may lag. */
  async #stored({ spec }: UsageRecord): Promise<Cluster | undefined> {
    const { client } = this.#dependencies;
    const found = client.resource(clusters).get(spec.clusterName, { namespace: spec.namespace });
    const cluster = await undefinedIfNotFound<Cluster>(found);
    return cluster && identityOf(cluster) === spec.clusterUID ? cluster : undefined;
  }

  async #follow(key: string, cluster: Cluster, record: UsageRecord | undefined, pass: Pass): Promise<void> {
    if (record?.metadata.deletionTimestamp !== undefined) return;
    // A restored cluster continues; a stale cache may still contain a deleted one.
    if (record?.status?.endedTime !== undefined && !(await this.#isRestored(cluster, record))) return;
    const { clouds } = this.#dependencies;
    const cloud = clouds.of(key, cluster.spec.credentialName);
    const isHeldUp = this.#isHeldUp(key, cluster);
    if (cluster.metadata.deletionTimestamp !== undefined) pass.requeueAfter(HELD_RESYNC_INTERVAL_MS);
    const observations = [observeControlPlane(cluster, record, { nowMs: this.#writer.nowMs, isHeldUp })];
    if (cloud !== undefined) {
      const { failure } = await pass.run(() => requireOwnProject(cloud, cluster));
      // A resource that is missing from another project's lists has not ended.
      const kinds = failure === undefined ? PROJECT_KINDS : [];
      const found = failure === undefined ? [pass.run(() => this.#observeServers(key, cluster, cloud, record))] : [];
      const responses = kinds.map((kind) => pass.run(() => this.#observeKinds(kind, key, { cluster, cloud, record })));
      for (const { value } of await Promise.all([...found, ...responses])) observations.push(...(value ?? []));
    }
    await recordObservations(this.#writer, cluster, record, observations);
    for (const { items } of observations) for (const { id } of items) this.#ends.settle(id);
    if (hasNewLoadBalancer(record, this.#writer.nowMs)) pass.requeueAfter(RESYNC_INTERVAL_MS);
  }

  #isHeldUp(key: string, cluster: Cluster): boolean {
    const { machines, nodePools } = this.#dependencies.cache;
    return isHeldByTenant(cluster, [...nodePools.find(poolsByCluster, key), ...machines.find(machinesByCluster, key)]);
  }

  /** The usage of servers and their root volumes; empty before the first trustworthy list. */
  async #observeServers(
    key: string,
    cluster: Cluster,
    cloud: ProjectCloud,
    record: UsageRecord | undefined,
  ): Promise<readonly UsageObservation[]> {
    const { cache } = this.#dependencies;
    // Resources that were deleted while nothing was watching appear in no list, so no list shows a change.
    if (runningOf(record, 'Node').length > 0) await cloud.cache.servers.refreshAfter(cloud.listedFromMs);
    const snapshot = cloud.listedServers();
    if (snapshot.listedAtMs === undefined) return [];
    const facts: ServerFacts = {
      atMs: snapshot.listedAtMs,
      servers: serversOfCluster(snapshot, identityOf(cluster)),
      machineOf: (server) => cache.machines.find(machinesByIdentity, serverOwner(server)?.machineUid ?? '')[0],
      machineOfServer: (id) =>
        cache.machines.find(machinesByCluster, key).find(({ status }) => status?.serverID === id),
      ends: this.#ends,
    };
    return [observeNodes(facts, record), observeRootVolumes(facts, record)];
  }

  /**
   * Lists the kind for this purpose only if the cluster has running resources, or must have some because of a node;
   * otherwise it uses lists made for other purposes.
   */
  async #observeKinds(
    kind: ProjectKind,
    key: string,
    {
      cluster,
      cloud,
      record,
    }: { readonly cluster: Cluster; readonly cloud: ProjectCloud; readonly record: UsageRecord | undefined },
  ): Promise<readonly UsageObservation[]> {
    const { projectID } = cluster.status ?? {};
    if (projectID === undefined) return [];
    const isRunning = runningOf(record, kind.resource).length > 0;
    this.#watch.set(cloud.cache, kind, key, isRunning || this.#mayHaveResources(kind, key, record));
    const lists = kind.cacheOf(cloud.cache);
    if (isRunning) await lists.refreshAfter(cloud.listedFromMs);
    // Resources that this process has created or deleted since the last list, and that have not been consumed.
    const changedMs = kind.ledgerOf(cloud).lastChangedMs;
    if (changedMs > (lists.snapshot().listedAtMs ?? Number.NEGATIVE_INFINITY)) await lists.refreshAfter(changedMs);
    const owner = { projectID, clusterUid: identityOf(cluster) };
    const facts = { owner, record, ends: this.#ends, listedFromMs: cloud.listedFromMs };
    const observation = observeKind(kind, lists.snapshot(), facts);
    return observation === undefined ? [] : [observation];
  }

  /**
   * Whether the cluster may have resources of a kind without a record of them: floating IPs are created with nodes and
   * load balancers, and no list shows them in advance.
   */
  #mayHaveResources({ resource }: ProjectKind, key: string, record: UsageRecord | undefined): boolean {
    if (resource !== 'FloatingIP') return false;
    const machines = this.#dependencies.cache.machines.find(machinesByCluster, key);
    return machines.some(({ spec }) => spec.floatingIP) || runningOf(record, 'LoadBalancer').length > 0;
  }
}

/**
 * Whether a load balancer was created or deleted recently: its floating IP is created and deleted within minutes of it.
 */
function hasNewLoadBalancer(record: UsageRecord | undefined, nowMs: number): boolean {
  const times = (record?.status?.intervals ?? [])
    .filter(({ resource }) => resource === 'LoadBalancer')
    .map(({ startTime, endTime }) => Date.parse(endTime ?? startTime));
  return times.some((ms) => ms > nowMs - RECENT_CHANGE_MS);
}
