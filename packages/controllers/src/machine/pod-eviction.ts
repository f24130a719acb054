import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/** The fields of a Pod that a drain needs. */
export interface DrainedPod extends KubeObject {
  spec?: { nodeName?: string };
  status?: { phase?: string };
}

const pods: ResourceType<DrainedPod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror';

/** The pods to evict before a node is deleted; as `kubectl drain`: not those of DaemonSets, which would come back, and not mirror pods. */
export function podsToEvict(all: readonly DrainedPod[]): readonly DrainedPod[] {
  return all.filter(({ metadata }) => {
    const isDaemon = metadata.ownerReferences?.some((owner) => owner.controller && owner.kind === 'DaemonSet');
    return !isDaemon && metadata.annotations?.[MIRROR_POD_ANNOTATION] === undefined;
  });
}

export interface DrainState {
  /** Pods that still exist, terminating or not. */
  readonly remaining: number;
  /** `namespace/name` of pods blocked by a PodDisruptionBudget. */
  readonly blocked: readonly string[];
}

export interface EvictionOptions {
  /** Whether terminating pods count as remaining. */
  readonly waitsForLeaving: boolean;
  readonly signal: AbortSignal;
}

/**
 * Evicts every pod of the node, once; the eviction API respects
 * PodDisruptionBudgets (https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/).
 */
export async function evictPods(
  client: KubeClient,
  nodeName: string,
  { waitsForLeaving, signal }: EvictionOptions,
): Promise<DrainState> {
  const { items } = await client.resource(pods).list({ fieldSelector: `spec.nodeName=${nodeName}`, signal });
  const leaving = podsToEvict(items).filter((pod) => waitsForLeaving || pod.metadata.deletionTimestamp === undefined);
  const outcomes = await Promise.all(leaving.map((pod) => evict(client, pod, signal)));
  const blocked = leaving.filter((_, index) => outcomes[index] === 'blocked').map(podKey);
  return { remaining: outcomes.filter((outcome) => outcome !== 'gone').length, blocked };
}

/**
 * Deletes every pod of the node, once, with its own grace period. As `kubectl drain --disable-eviction`: a hibernated cluster has no other node that a pod
 * could go to, so that no PodDisruptionBudget could ever be met.
 */
export async function deletePods(
  client: KubeClient,
  nodeName: string,
  { waitsForLeaving, signal }: EvictionOptions,
): Promise<DrainState> {
  const { items } = await client.resource(pods).list({ fieldSelector: `spec.nodeName=${nodeName}`, signal });
  const leaving = podsToEvict(items).filter((pod) => waitsForLeaving || pod.metadata.deletionTimestamp === undefined);
  await Promise.all(
    leaving.map(async ({ metadata: { name = '', namespace = '', uid, deletionTimestamp } }) => {
      if (deletionTimestamp !== undefined) return;
      const options = { namespace, signal, ...(uid !== undefined && { uid }) };
      await ignoreGone(client.resource(pods).delete(name, options));
    }),
  );
  return { remaining: leaving.length, blocked: [] };
}

async function evict(
  client: KubeClient,
  pod: DrainedPod,
  signal: AbortSignal,
): Promise<'leaving' | 'blocked' | 'gone'> {
  const { name = '', namespace = '', uid, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return 'leaving';
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    ...(uid !== undefined && { deleteOptions: { preconditions: { uid } } }),
  };
  try {
    await client.resource(pods).createSubresource(name, 'eviction', eviction, { namespace, signal });
    return 'leaving';
  } catch (error) {
    if (isApiError(error, 'TooManyRequests')) return 'blocked';
    // A pod with the same name and another uid is handled in the next round.
    if (isApiError(error, 'NotFound', 'Conflict')) return 'gone';
    throw error;
  }
}

function podKey({ metadata }: DrainedPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
