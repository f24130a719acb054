import {
  API_VERSION,
  CLUSTER_LABEL,
  CLUSTER_UID_LABEL,
  CREDENTIAL_ANNOTATION,
  MISSING_SINCE_ANNOTATION,
  SYSTEM_NAMESPACE,
} from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { Informer } from '@fairway/kube/client/informer';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';

/** Field manager of Secrets restored from a backup: their Clusters may not have been restored yet. */
const RESTORE_MANAGER = 'fairway-restore';

/**
 * A cluster whose CA Secret is stored here. It is created before the rest of the cluster and deleted last, so a CA
 * Secret without a Cluster means that the Cluster was removed without Fairway, because its finalizer was removed or the
 * database was edited. The CA Secrets of another Fairway's clusters are elsewhere.
 */
export interface CaSecretRecord {
  readonly uid: string;
  /** `namespace/name` of the Cluster. */
  readonly clusterKey: string;
  /** Name and UID of the Secret. */
  readonly secret: { readonly name: string; readonly uid: string | undefined };
  /** When the Cluster was first found missing; stored on the Secret, so that restarts do not reset it. */
  readonly missingSinceMs: number | undefined;
  /** The CloudCredential that the cluster uses; empty for the operator's own login, undefined if it was not recorded. */
  readonly credentialName: string | undefined;
  /** Whether the cluster's resources must not be touched: it was restored, or the Secret has the pause annotation. */
  readonly isHeld: boolean;
}

/** The metadata of all CA Secrets. */
export function caSecretInformer(informers: InformerSet): Informer<KubeObject> {
  return informers.informer<KubeObject>(Secrets, {
    namespace: SYSTEM_NAMESPACE,
    labelSelector: CLUSTER_UID_LABEL,
    metadataOnly: true,
  });
}

/** By the key of their Cluster. */
export const caSecretsByCluster: CacheIndex<KubeObject> = {
  name: 'cluster',
  valuesOf: (secret) => [recordOf(secret)?.clusterKey].filter((key) => key !== undefined),
};

/**
 * The information in a Secret's metadata; undefined for a Secret that belongs to no cluster. A cache drops the fields
 * that identify a restored Secret.
 */
export function recordOf(secret: KubeObject): CaSecretRecord | undefined {
  const { name = '', labels, annotations, managedFields = [] } = secret.metadata;
  const uid = labels?.[CLUSTER_UID_LABEL];
  const clusterKey = annotations?.[CLUSTER_LABEL];
  if (uid === undefined || clusterKey === undefined) return undefined;
  const sinceMs = Date.parse(annotations?.[MISSING_SINCE_ANNOTATION] ?? '');
  const isRestored = managedFields.some(({ manager }) => manager === RESTORE_MANAGER);
  return {
    uid,
    clusterKey,
    secret: { name, uid: secret.metadata.uid },
    missingSinceMs: Number.isNaN(sinceMs) ? undefined : sinceMs,
    credentialName: annotations?.[CREDENTIAL_ANNOTATION],
    isHeld: isRestored || isPaused(secret),
  };
}

/**
 * The clusters whose CA Secrets are stored: all, or only the one with the UID. One request, without the Secrets' data.
 */
export async function listCaSecrets(client: KubeClient, uid?: string): Promise<readonly CaSecretRecord[]> {
  const labelSelector = uid === undefined ? CLUSTER_UID_LABEL : `${CLUSTER_UID_LABEL}=${uid}`;
  const { items } = await client.metadata(Secrets).list({ namespace: SYSTEM_NAMESPACE, labelSelector });
  const records = items.map(recordOf).filter((record) => record !== undefined);
  return [...new Map(records.map((record) => [record.uid, record])).values()];
}

/**
 * Which of these clusters have no Cluster according to the API server rather than a cache, because deleted
 * resources cannot be restored.
 */
export async function recordsWithoutCluster<T extends Pick<CaSecretRecord, 'uid' | 'clusterKey'>>(
  client: KubeClient,
  records: readonly T[],
): Promise<readonly T[]> {
  const namespaces = new Set(records.map(({ clusterKey }) => namespaceOf(clusterKey)));
  const known = new Set<string>();
  for (const namespace of namespaces) {
    const { items } = await client.resource(clusters).list({ namespace });
    for (const cluster of items) known.add(identityOf(cluster));
  }
  return records.filter(({ uid }) => !known.has(uid));
}

/** Records on the CA Secret when its Cluster was found missing, or with undefined that the Cluster exists. */
export async function markMissing(
  client: KubeClient,
  { secret }: CaSecretRecord,
  sinceMs: number | undefined,
): Promise<void> {
  const since = sinceMs === undefined ? null : new Date(sinceMs).toISOString();
  const value = { metadata: { uid: secret.uid, annotations: { [MISSING_SINCE_ANNOTATION]: since } } };
  const where = { namespace: SYSTEM_NAMESPACE };
  await ignoreDeleted(client.metadata(Secrets).patch(secret.name, { type: 'merge', value }, where));
}

export function namespaceOf(clusterKey: string): string {
  return clusterKey.slice(0, clusterKey.indexOf('/'));
}

/** A minimal Cluster object for a missing one. */
export function placeholderCluster({ uid, clusterKey }: Pick<CaSecretRecord, 'uid' | 'clusterKey'>): Cluster {
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
