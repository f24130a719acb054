import type { Pod } from '@fairway/kube/kinds/generated/types';
import { isPodReady, podCondition, restartsOf } from '../pods.ts';

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * Orders pods by which to delete first (pkg/controller.ActivePodsWithRanks): no node, not running, not ready, low
 * deletion cost, on a node with more pods of the same owner, ready for a shorter time, more restarts, younger. Ages are
 * compared on a log2 scale.
 */
export function compareForDeletion(siblings: readonly Pod[], nowMs: number): (left: Pod, right: Pod) => number {
  const onNode = new Map<string, number>();
  for (const { spec } of siblings) if (spec.nodeName) onNode.set(spec.nodeName, (onNode.get(spec.nodeName) ?? 0) + 1);
  const rankOf = (pod: Pod) => [
    pod.spec.nodeName ? 1 : 0,
    PHASES[pod.status?.phase ?? 'Pending'] ?? 0,
    isPodReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.[DELETION_COST_ANNOTATION] ?? 0),
    -(onNode.get(pod.spec.nodeName ?? '') ?? 0),
    isPodReady(pod) ? logAge(podCondition(pod, 'Ready')?.lastTransitionTime, nowMs) : 0,
    -restartsOf(pod),
    logAge(pod.metadata.creationTimestamp, nowMs),
  ];
  return (left, right) => {
    const [leftRanks, rightRanks] = [rankOf(left), rankOf(right)];
    for (const [index, rank] of leftRanks.entries()) {
      const difference = rank - (rightRanks[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return (left.metadata.uid ?? '') < (right.metadata.uid ?? '') ? -1 : 1;
  };
}

function logAge(timestamp: string | undefined, nowMs: number): number {
  const ageMs = nowMs - Date.parse(timestamp ?? '');
  return Number.isNaN(ageMs) || ageMs <= 0 ? 0 : Math.floor(Math.log2(ageMs));
}
