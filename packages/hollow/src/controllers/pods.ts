import type { Pod, PodCondition } from '@fairway/kube/kinds/generated/types';

/** Whether a pod is neither finished nor terminating; controllers count these pods. */
export function isPodActive({ status, metadata }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined;
}

export function isPodFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether a pod is being deleted and has not finished yet. */
export function isPodTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isPodFinished(pod);
}

export function podCondition({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isPodReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** When the pod counts as available: ready for `minReadySeconds`. Undefined while it is not ready. */
export function availableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  const sinceMs = Date.parse(ready.lastTransitionTime ?? '');
  return Number.isNaN(sinceMs) ? undefined : sinceMs + minReadySeconds * 1000;
}

export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const atMs = availableAtMs(pod, minReadySeconds);
  return atMs !== undefined && atMs <= nowMs;
}

/** Milliseconds until the next of these pods becomes available; undefined if none will. */
export function nextAvailableMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  let next: number | undefined;
  if (minReadySeconds === 0) return undefined;
  for (const pod of pods) {
    const atMs = availableAtMs(pod, minReadySeconds);
    if (atMs !== undefined && atMs > nowMs) next = Math.min(next ?? Number.POSITIVE_INFINITY, atMs - nowMs);
  }
  return next;
}

export function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
