import { ConditionReason } from '@fairway/api/conditions';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';

/**
 * Reads from the API server whether the Cluster exists and is not being deleted. Called before anything is created that
 * can be found again only with the cluster's own credential: a deletion that starts later finds the pool and waits for
 * it. Throws a ProblemError, or the API's error.
 */
export async function requireActiveCluster(
  client: KubeClient,
  cluster: Cluster | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace = '', uid } = cluster?.metadata ?? {};
  try {
    const { metadata } = await client.resource(clusters).get(name, { namespace, signal });
    if (metadata.uid === uid && metadata.deletionTimestamp === undefined) return;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  throw new ProblemError({ reason: ConditionReason.Deleting, message: 'the cluster is being deleted' });
}
