import { compactUsage, reopenUsage } from '@fairway/api/domain/usage/compact';
import { followUsage, type UsageObservation } from '@fairway/api/domain/usage/follow';
import { usageSummary } from '@fairway/api/domain/usage/summary';
import { API_VERSION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import {
  USAGE_RESOURCES,
  type UsageRecord,
  type UsageRecordStatus,
  usageRecordName,
  usageRecords,
} from '@fairway/api/kinds/usage-record';
import { formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { isApiError } from '@fairway/kube/object/api-error';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { controlPlaneEndMs } from './observations.ts';

/** The finalizer that keeps a record until it has been copied to Fairway's own namespace. */
const USAGE_FINALIZER = 'fairway.dev/usage';

/** By the key of their Cluster, existing or deleted. */
export const recordsByCluster: CacheIndex<UsageRecord> = {
  name: 'cluster',
  valuesOf: ({ spec }) => [`${spec.namespace}/${spec.clusterName}`],
};

export interface RecordWriter {
  readonly client: KubeClient;
  readonly nowMs: number;
  readonly retentionMs: number;
}

/**
 * Records the observations of a cluster, if they contain anything new; `record` is the stored state. Rejects with a
 * Conflict if that has changed since then, and with the API's error.
 */
export async function recordObservations(
  { client, nowMs, retentionMs }: RecordWriter,
  cluster: Cluster,
  record: UsageRecord | undefined,
  observations: readonly UsageObservation[],
): Promise<void> {
  const stored = record?.status ?? {};
  // Its cluster has been restored.
  const status = stored.endedTime === undefined ? stored : reopenUsage(stored, nowMs, retentionMs);
  const followed = followUsage(status, observations);
  if (followed === status) return;
  const known = record ?? (await createRecord(client, cluster));
  const { projectID } = cluster.status ?? {};
  const next = { ...compactUsage(followed, nowMs, retentionMs), ...(projectID !== undefined && { projectID }) };
  await writeRecord(client, known, next);
}

/**
 * Ends all running usage of a cluster that is being deleted or was deleted, and the record with it. Rejects like
 * `recordObservations`.
 */
export async function endRecord(
  { client, nowMs, retentionMs }: RecordWriter,
  record: UsageRecord,
  deletedMs: number | undefined,
): Promise<void> {
  const status = record.status ?? {};
  if (status.endedTime !== undefined) return;
  const observations = USAGE_RESOURCES.map((resource): UsageObservation => {
    const observation = { resource, atMs: nowMs, items: [] };
    if (deletedMs === undefined) return observation;
    const plan = { id: record.spec.clusterUID, endMs: deletedMs, nowMs };
    const endOf = (id: string) =>
      resource === 'ControlPlane' ? controlPlaneEndMs(id, plan) : { fromMs: deletedMs, toMs: nowMs };
    return { ...observation, endOf };
  });
  const ended = compactUsage(followUsage(status, observations), nowMs, retentionMs);
  await writeRecord(client, record, { ...ended, endedTime: formatTime(nowMs) });
}

/**
 * Writes a cluster's usage for the last time, before its Cluster is deleted. May be repeated. Rejects like
 * `recordObservations`.
 */
export async function endUsage(
  cluster: Cluster,
  { client, clock, usageRetentionMs }: Pick<ControllerDependencies, 'client' | 'clock' | 'usageRetentionMs'>,
): Promise<void> {
  const record = await readRecord(client, cluster);
  if (record === undefined) return;
  const deletedMs = Date.parse(cluster.metadata.deletionTimestamp ?? '') || undefined;
  await endRecord({ client, nowMs: clock.now(), retentionMs: usageRetentionMs }, record, deletedMs);
}

/** The record of a cluster from the API server: the copy that outlives the namespace takes precedence. */
async function readRecord(client: KubeClient, cluster: Cluster): Promise<UsageRecord | undefined> {
  const records = client.resource(usageRecords);
  const name = usageRecordName(identityOf(cluster));
  return (
    (await undefinedIfNotFound(records.get(name, { namespace: SYSTEM_NAMESPACE }))) ??
    (await undefinedIfNotFound(records.get(name, { namespace: cluster.metadata.namespace ?? '' })))
  );
}

/** Copies a record from a namespace that is being deleted to Fairway's own, then releases it. May be repeated. Rejects with the API's error. */
export async function moveToSystemNamespace(client: KubeClient, record: UsageRecord): Promise<void> {
  const records = client.resource(usageRecords);
  const { name = '', namespace, finalizers = [], uid, resourceVersion } = record.metadata;
  if (!finalizers.includes(USAGE_FINALIZER)) return;
  if (namespace !== SYSTEM_NAMESPACE) {
    const found = await undefinedIfNotFound(records.get(name, { namespace: SYSTEM_NAMESPACE }));
    const copy = found ?? (await records.create(newRecord(SYSTEM_NAMESPACE, name, record.spec)));
    // An existing copy is newer, because later writes go to it.
    if (copy.status === undefined) await writeRecord(client, copy, record.status ?? {});
  }
  const left = finalizers.filter((each) => each !== USAGE_FINALIZER);
  const value = { metadata: { uid, resourceVersion, finalizers: left.length > 0 ? left : null } };
  await undefinedIfNotFound(records.patch(name, { type: 'merge', value }, { namespace: namespace ?? '' }));
}

async function createRecord(client: KubeClient, cluster: Cluster): Promise<UsageRecord> {
  const { name: clusterName = '', namespace = '' } = cluster.metadata;
  const clusterUID = identityOf(cluster);
  const spec = { clusterName, clusterUID, namespace };
  const records = client.resource(usageRecords);
  try {
    return await records.create(newRecord(namespace, usageRecordName(clusterUID), spec));
  } catch (error) {
    // A namespace that is being deleted accepts no new objects.
    if (!isApiError(error, 'Forbidden')) throw error;
    return records.create(newRecord(SYSTEM_NAMESPACE, usageRecordName(clusterUID), spec));
  }
}

function newRecord(namespace: string, name: string, spec: UsageRecord['spec']): UsageRecord {
  const finalizers = namespace === SYSTEM_NAMESPACE ? {} : { finalizers: [USAGE_FINALIZER] };
  return { apiVersion: API_VERSION, kind: usageRecords.kind, metadata: { name, namespace, ...finalizers }, spec };
}

/** Writes the status, unless the record has changed since it was read. */
async function writeRecord(client: KubeClient, record: UsageRecord, status: UsageRecordStatus): Promise<void> {
  const summary = usageSummary(status);
  await writeStatus(client.resource(usageRecords), record, { ...status, summary }, { ifUnchanged: true });
}
