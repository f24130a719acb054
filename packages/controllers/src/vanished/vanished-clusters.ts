import { CLUSTER_LABEL, CLUSTER_UID_LABEL, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';

/** Who writes the Secrets of clusters that come from a backup: their Clusters may be on their way still. */
const RESTORE_MANAGER = 'fairway-restore';

/**
 * A cluster whose roots of trust are kept here. They are made before its control plane and go last, so that where they are and no Cluster is, a Cluster
 * was that ended without Fairway: by a stripped finalizer, or an edited database. Another Fairway's clusters have theirs elsewhere.
 */
export interface RootsRecord {
  readonly uid: string;
  /** `namespace/name` of the Cluster. */
  readonly clusterKey: string;
  /** Whether what the cluster had is left alone: it was restored, or somebody set the annotation that pauses on the Secret. */
  readonly isHeld: boolean;
}

/** The clusters whose roots are kept; of one UID, or all. One request, without the roots themselves. */
export async function listRoots(client: KubeClient, uid?: string): Promise<readonly RootsRecord[]> {
  const labelSelector = uid === undefined ? CLUSTER_UID_LABEL : `${CLUSTER_UID_LABEL}=${uid}`;
  const { items } = await client.metadata(Secrets).list({ namespace: SYSTEM_NAMESPACE, labelSelector });
  const records = items.map(recordOf).filter((record) => record !== undefined);
  return [...new Map(records.map((record) => [record.uid, record])).values()];
}

function recordOf(secret: KubeObject): RootsRecord | undefined {
  const { labels, annotations, managedFields = [] } = secret.metadata;
  const uid = labels?.[CLUSTER_UID_LABEL];
  const clusterKey = annotations?.[CLUSTER_LABEL];
  if (uid === undefined || clusterKey === undefined) return undefined;
  const isRestored = managedFields.some(({ manager }) => manager === RESTORE_MANAGER);
  return { uid, clusterKey, isHeld: isRestored || isPaused(secret) };
}

/** Of these clusters those that the API server has no Cluster of: not as a cache knows it, for what they had can't be brought back. */
export async function withoutCluster(
  client: KubeClient,
  records: readonly RootsRecord[],
): Promise<readonly RootsRecord[]> {
  const namespaces = new Set(records.map(({ clusterKey }) => namespaceOf(clusterKey)));
  const known = new Set<string>();
  for (const namespace of namespaces) {
    const { items } = await client.resource(clusters).list({ namespace });
    for (const cluster of items) known.add(identityOf(cluster));
  }
  return records.filter(({ uid }) => !known.has(uid));
}

export function namespaceOf(clusterKey: string): string {
  return clusterKey.slice(0, clusterKey.indexOf('/'));
}
