import {
  CLUSTER_LABEL,
  CREDENTIAL_ANNOTATION,
  ENDED_ANNOTATION,
  ENDED_CLUSTER_LABEL,
  PROJECT_ID_ANNOTATION,
  RETRY_ANNOTATION,
  SYSTEM_NAMESPACE,
} from '@fairway/api/group';
import { formatTime } from '@fairway/base/clock';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { Informer } from '@fairway/kube/client/informer';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { namespaceOf } from '../vanished/vanished-clusters.ts';

/**
 * A cluster that this Fairway has deleted: the only kind of cluster without a Cluster whose marks in the cloud it may act upon. Another Fairway in the same
 * project has no such record here of its own.
 */
export interface EndedCluster {
  readonly uid: string;
  /** `namespace/name` of its Cluster. */
  readonly clusterKey: string;
  /** Undefined for the operator's own login. */
  readonly credentialName?: string | undefined;
  /** The project that it was in; undefined where it was not known. */
  readonly projectID?: string | undefined;
}

/** As it is kept. */
export interface EndedRecord extends EndedCluster {
  readonly endedMs: number;
  /** Value of the annotation by which a person asks for a look now. */
  readonly requested: string | undefined;
  readonly object: { readonly name: string; readonly uid: string | undefined };
}

/** A deletion whose last step fails for so long has its time noted anew. */
const REFRESH_MS = 1_800_000;

/** The metadata of all records. */
export function endedInformer(informers: InformerSet): Informer<KubeObject> {
  return informers.informer<KubeObject>(ConfigMaps, {
    namespace: SYSTEM_NAMESPACE,
    labelSelector: ENDED_CLUSTER_LABEL,
    metadataOnly: true,
  });
}

/** By the key of their Cluster. */
export const endedByCluster: CacheIndex<KubeObject> = {
  name: 'cluster',
  valuesOf: (object) => [endedRecordOf(object)?.clusterKey].filter((key) => key !== undefined),
};

/** By the namespace of their Cluster. */
export const endedByNamespace: CacheIndex<KubeObject> = {
  name: 'namespace-of-cluster',
  valuesOf: (object) => [...endedByCluster.valuesOf(object)].map(namespaceOf),
};

/** What an object's metadata says; undefined for one that is no record. */
export function endedRecordOf({ metadata }: KubeObject): EndedRecord | undefined {
  const { name = '', labels, annotations } = metadata;
  const uid = labels?.[ENDED_CLUSTER_LABEL];
  const clusterKey = annotations?.[CLUSTER_LABEL];
  const endedMs = Date.parse(annotations?.[ENDED_ANNOTATION] ?? '');
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
 * Records that nothing of the cluster is left as far as anybody can tell, before the last thing that tells of it goes. May be called again. Rejects with the
 * API's error.
 */
export async function recordEnd(client: KubeClient, ended: EndedCluster, nowMs: number): Promise<void> {
  const { uid, clusterKey, credentialName, projectID } = ended;
  const name = `cluster-${uid}-ended`;
  const records = client.resource(ConfigMaps);
  const stored = await undefinedIfNotFound(records.get(name, { namespace: SYSTEM_NAMESPACE }));
  const known = stored && endedRecordOf(stored);
  if (known && nowMs - known.endedMs < REFRESH_MS) return;
  const metadata = {
    ...stored?.metadata,
    name,
    namespace: SYSTEM_NAMESPACE,
    labels: { [ENDED_CLUSTER_LABEL]: uid },
    annotations: {
      [CLUSTER_LABEL]: clusterKey,
      [ENDED_ANNOTATION]: formatTime(nowMs),
      ...(credentialName !== undefined && { [CREDENTIAL_ANNOTATION]: credentialName }),
      ...(projectID !== undefined && { [PROJECT_ID_ANNOTATION]: projectID }),
    },
  };
  const record = { apiVersion: 'v1', kind: ConfigMaps.kind, metadata };
  await (stored ? records.update(record) : records.create(record));
}

/** Rejects with the API's error. */
export async function forgetEnded(client: KubeClient, { object: { name, uid } }: EndedRecord): Promise<void> {
  const options = { namespace: SYSTEM_NAMESPACE, ...(uid !== undefined && { uid }) };
  await ignoreGone(client.resource(ConfigMaps).delete(name, options));
}
