import {
  CLEANUP_TIME_ANNOTATION,
  CLUSTER_LABEL,
  CREDENTIAL_ANNOTATION,
  DELETED_CLUSTER_LABEL,
  PROJECT_ID_ANNOTATION,
  RETRY_ANNOTATION,
  SYSTEM_NAMESPACE,
} from '@fairway/api/group';
import { formatTime } from '@fairway/base/clock';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { Informer } from '@fairway/kube/client/informer';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { namespaceOf } from './missing-clusters/missing-clusters.ts';

/**
 * A cluster that this Fairway installation has deleted. Without a Cluster object, Fairway may touch tagged cloud
 * resources only of such clusters. Another Fairway in the same project has no such record here.
 */
export interface DeletedCluster {
  readonly uid: string;
  /** `namespace/name` of its Cluster. */
  readonly clusterKey: string;
  /** Undefined for the operator's own login. */
  readonly credentialName?: string | undefined;
  /** The cluster's project; undefined if unknown. */
  readonly projectID?: string | undefined;
}

/** The record as stored. */
export interface DeletedClusterRecord extends DeletedCluster {
  readonly endedMs: number;
  /** Value of the annotation by which a user requests a check now. */
  readonly requested: string | undefined;
  readonly object: { readonly name: string; readonly uid: string | undefined };
}

/** If the last step of a deletion has been failing for this long, the time of the deletion is updated. */
const REFRESH_MS = 1_800_000;

/** The metadata of all records. */
export function deletedClusterInformer(informers: InformerSet): Informer<KubeObject> {
  return informers.informer<KubeObject>(ConfigMaps, {
    namespace: SYSTEM_NAMESPACE,
    labelSelector: DELETED_CLUSTER_LABEL,
    metadataOnly: true,
  });
}

/** By the key of their Cluster. */
export const deletedByCluster: CacheIndex<KubeObject> = {
  name: 'cluster',
  valuesOf: (object) => [deletedClusterRecord(object)?.clusterKey].filter((key) => key !== undefined),
};

/** By the namespace of their Cluster. */
export const deletedByNamespace: CacheIndex<KubeObject> = {
  name: 'namespace-of-cluster',
  valuesOf: (object) => [...deletedByCluster.valuesOf(object)].map(namespaceOf),
};

/** The content of an object's metadata; undefined for one that is not a record. */
export function deletedClusterRecord({ metadata }: KubeObject): DeletedClusterRecord | undefined {
  const { name = '', labels, annotations } = metadata;
  const uid = labels?.[DELETED_CLUSTER_LABEL];
  const clusterKey = annotations?.[CLUSTER_LABEL];
  const endedMs = Date.parse(annotations?.[CLEANUP_TIME_ANNOTATION] ?? '');
  if (uid === undefined || clusterKey === undefined || Number.isNaN(endedMs)) return undefined;
  return {
    uid,
    clusterKey,
    credentialName: annotations?.[CREDENTIAL_ANNOTATION],
    projectID: annotations?.[PROJECT_ID_ANNOTATION],
    endedMs,
    requested: annotations?.[RETRY_ANNOTATION],
    object: { name, uid: metadata.uid },
  };
}

/**
 * Records that no remnants of the cluster are known, before its last trace is deleted. May be repeated. Rejects
 * with the API's error.
 */
export async function recordDeletedCluster(client: KubeClient, ended: DeletedCluster, nowMs: number): Promise<void> {
  const { uid, clusterKey, credentialName, projectID } = ended;
  const name = `cluster-${uid}-ended`;
  const records = client.resource(ConfigMaps);
  const stored = await undefinedIfNotFound(records.get(name, { namespace: SYSTEM_NAMESPACE }));
  const known = stored && deletedClusterRecord(stored);
  if (known && nowMs - known.endedMs < REFRESH_MS) return;
  const metadata = {
    ...stored?.metadata,
    name,
    namespace: SYSTEM_NAMESPACE,
    labels: { [DELETED_CLUSTER_LABEL]: uid },
    annotations: {
      [CLUSTER_LABEL]: clusterKey,
      [CLEANUP_TIME_ANNOTATION]: formatTime(nowMs),
      ...(credentialName !== undefined && { [CREDENTIAL_ANNOTATION]: credentialName }),
      ...(projectID !== undefined && { [PROJECT_ID_ANNOTATION]: projectID }),
    },
  };
  const record = { apiVersion: 'v1', kind: ConfigMaps.kind, metadata };
  await (stored ? records.update(record) : records.create(record));
}

/** Rejects with the API's error. */
export async function removeDeletedClusterRecord(
  client: KubeClient,
  { object: { name, uid } }: DeletedClusterRecord,
): Promise<void> {
  const options = { namespace: SYSTEM_NAMESPACE, ...(uid !== undefined && { uid }) };
  await ignoreDeleted(client.resource(ConfigMaps).delete(name, options));
}
