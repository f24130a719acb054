import { inParallel } from '@fairway/base/in-parallel';
import { boundedPages } from '@fairway/kube/client/bounded-pages';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/** The fields of a Pod that a drain needs. */
export interface DrainedPod extends KubeObject {
  spec?: {
    nodeName?: string;
    tolerations?: readonly { key?: string; operator?: string; effect?: string }[];
    volumes?: readonly { name: string; persistentVolumeClaim?: { claimName: string }; ephemeral?: unknown }[];
  };
  status?: { phase?: string };
}

const pods: ResourceType<DrainedPod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

/** A tenant may put any number of pods on a node, and each concurrent call uses a connection. */
const MAX_CONCURRENT_CALLS = 32;
/** Ten times as many as a kubelet runs. */
const MAX_PODS = 5_000;

const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * The pods to evict before a node is deleted, for a drain that started at `startTime`. Like `kubectl drain`, it
 * excludes DaemonSet pods, which would be recreated, and mirror pods. Pods that were created since then and
 * tolerate the cordon are not evicted either: without another node, they would be rescheduled to this one each time.
 */
export function podsToEvict(all: readonly DrainedPod[], startTime: string | undefined): readonly DrainedPod[] {
  const startMs = Date.parse(startTime ?? '');
  return all.filter((pod) => {
    const { metadata } = pod;
    const isDaemon = metadata.ownerReferences?.some((owner) => owner.controller && owner.kind === 'DaemonSet');
    const hasReturned = Date.parse(metadata.creationTimestamp ?? '') > startMs && toleratesUnschedulable(pod);
    return !isDaemon && !hasReturned && metadata.annotations?.[MIRROR_POD_ANNOTATION] === undefined;
  });
}

/** Whether the scheduler may put the pod on a cordoned node again; a pod with volumes must be evicted in any case. */
function toleratesUnschedulable(pod: DrainedPod): boolean {
  const isTolerated = pod.spec?.tolerations?.some(
    ({ key = '', operator, effect = '' }) =>
      ['', 'NoSchedule'].includes(effect) &&
      (key === 'node.kubernetes.io/unschedulable' || (key === '' && operator === 'Exists')),
  );
  return isTolerated === true && claimsOf(pod).length === 0;
}

/**
 * The pods on a node, limited to what a drain needs: only the first pods if there are more than a kubelet could run.
 */
async function podsOn(client: KubeClient, nodeName: string, signal: AbortSignal): Promise<readonly DrainedPod[]> {
  const found: DrainedPod[] = [];
  const fieldSelector = `spec.nodeName=${nodeName}`;
  for await (const page of boundedPages(client.resource(pods), { fieldSelector, signal })) {
    found.push(...page.map(trimPod));
    if (found.length >= MAX_PODS) break;
  }
  return found;
}

function trimPod({ metadata, spec, status }: DrainedPod): DrainedPod {
  const { managedFields: _unused, ...kept } = metadata;
  const { nodeName, tolerations, volumes } = spec ?? {};
  const claims = volumes?.filter(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral);
  return {
    metadata: kept,
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      ...(tolerations && { tolerations }),
      ...(claims && { volumes: claims }),
    },
    ...(status?.phase !== undefined && { status: { phase: status.phase } }),
  };
}

export interface DrainState {
  /** Pods that still exist, terminating or not. */
  readonly remaining: readonly DrainedPod[];
  /** The pods that a PodDisruptionBudget blocks. */
  readonly blocked: readonly DrainedPod[];
  /** Volumes that are still attached to the node even though their pods have left it. */
  readonly detaching: readonly string[];
}

export interface EvictionOptions {
  /** When the drain started. */
  readonly startTime: string | undefined;
  /** Whether terminating pods count as remaining. */
  readonly isWaitingForPods: boolean;
  readonly signal: AbortSignal;
}

/** Returns the volumes that must still be detached from the node even though their pods have left it. */
export type DetachingVolumesOf = (onNode: readonly DrainedPod[]) => Promise<readonly string[]>;

/**
 * Evicts every pod on the node, once. The eviction API respects PodDisruptionBudgets
 * (https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/). Pods with volumes are evicted one after
 * another, each once the previous one's volumes have been detached. The volumes can then be attached elsewhere without
 * queueing, and only one of these pods is down at a time. This does not apply if nothing on the node can stop pods
 * any longer.
 */
export async function evictPods(
  client: KubeClient,
  nodeName: string,
  {
    startTime,
    isWaitingForPods,
    volumes,
    nowMs,
    signal,
  }: EvictionOptions & { readonly volumes: DetachingVolumesOf; readonly nowMs: number },
): Promise<DrainState> {
  const items = await podsOn(client, nodeName, signal);
  const leaving = podsToEvict(items, startTime).filter(
    (pod) => isWaitingForPods || pod.metadata.deletionTimestamp === undefined,
  );
  const stateful = isWaitingForPods ? leaving.filter((pod) => claimsOf(pod).length > 0) : [];
  const others = leaving.filter((pod) => !stateful.includes(pod));
  const outcomes = new Map<DrainedPod, EvictionResult>();
  const evictPod = async (pod: DrainedPod) => void outcomes.set(pod, await evict(client, pod, signal));
  await inParallel(others, MAX_CONCURRENT_CALLS, evictPod);
  const isTerminating = stateful.some((pod) => isStillTerminating(pod, nowMs));
  const detaching = isTerminating || !isWaitingForPods ? [] : await volumes(items);
  for (const pod of isTerminating || detaching.length > 0 ? [] : stateful.toSorted(byKey)) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    await evictPod(pod);
    if (outcomes.get(pod) === 'leaving') break;
  }
  const remaining = leaving.filter((pod) => outcomes.get(pod) !== 'gone');
  return { remaining, blocked: leaving.filter((pod) => outcomes.get(pod) === 'blocked'), detaching };
}

/** How long a pod may take to terminate beyond its grace period before the next one is evicted. */
const LATE_TERMINATION_MS = 60_000;

/** Whether the pod may still take time to terminate. Its deletion timestamp is the end of its grace period. */
function isStillTerminating({ metadata }: DrainedPod, nowMs: number): boolean {
  const { deletionTimestamp } = metadata;
  return deletionTimestamp !== undefined && nowMs < Date.parse(deletionTimestamp) + LATE_TERMINATION_MS;
}

/** The claims of a pod's volumes, as `namespace/name`; those of generic ephemeral volumes are named after pod and volume. */
export function claimsOf({ metadata, spec }: DrainedPod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim =
      persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
    return claim === undefined ? [] : [`${metadata.namespace}/${claim}`];
  });
}

/**
 * Deletes every pod on the node, once, with its own grace period, like `kubectl drain --disable-eviction`: a hibernated
 * cluster has no other node for a pod, so no PodDisruptionBudget could ever be satisfied.
 */
export async function deletePods(
  client: KubeClient,
  nodeName: string,
  { startTime, isWaitingForPods, signal }: EvictionOptions,
): Promise<DrainState> {
  const items = await podsOn(client, nodeName, signal);
  const leaving = podsToEvict(items, startTime).filter(
    (pod) => isWaitingForPods || pod.metadata.deletionTimestamp === undefined,
  );
  await inParallel(
    leaving,
    MAX_CONCURRENT_CALLS,
    async ({ metadata: { name = '', namespace = '', uid, deletionTimestamp } }) => {
      if (deletionTimestamp !== undefined) return;
      const options = { namespace, signal, ...(uid !== undefined && { uid }) };
      await ignoreDeleted(client.resource(pods).delete(name, options));
    },
  );
  return { remaining: leaving, blocked: [], detaching: [] };
}

type EvictionResult = 'leaving' | 'blocked' | 'gone';

async function evict(client: KubeClient, pod: DrainedPod, signal: AbortSignal): Promise<EvictionResult> {
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
    // A pod with the same name and a different UID is handled in the next round.
    if (isApiError(error, 'NotFound', 'Conflict')) return 'gone';
    throw error;
  }
}

/** Maximum number of pods that a message lists. */
const MAX_NAMED_PODS = 5;

/** The first of these pods by name, as `namespace/name`. */
export function firstPods<T extends KubeObject>(all: readonly T[]): readonly T[] {
  return all.toSorted(byKey).slice(0, MAX_NAMED_PODS);
}

/**
 * `default/web-0, default/web-1 and others`: unchanged as long as the first ones remain, and short regardless of how
 * tenants name their pods.
 */
export function namesOf(all: readonly KubeObject[]): string {
  const names = firstPods(all).map(podKey).join(', ');
  const cut = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES)}…` : names;
  return all.length > MAX_NAMED_PODS ? `${cut} and others` : cut;
}

/** A pool's status repeats its machines' messages, and is limited to 2048 characters. */
const MAX_NAMES = 700;

function byKey(a: KubeObject, b: KubeObject): number {
  return podKey(a).localeCompare(podKey(b));
}

/** `namespace/name`. */
export function podKey({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
