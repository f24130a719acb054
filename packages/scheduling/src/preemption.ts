import type { Pod } from '@fairway/kube/kinds/generated/types';
import { NodeState } from './node-state.ts';

export interface Preemption {
  readonly nodeName: string;
  readonly victims: readonly Pod[];
}

/**
 * The node for the pod, and the victims of lower priority to evict there. Prefers the node whose victims have the
 * lowest priority, then the node with the fewest victims. `fits` is called with the remaining pods.
 */
export function findPreemption(
  pod: Pod,
  nodes: readonly NodeState[],
  fits: (state: NodeState) => boolean,
): Preemption | undefined {
  const priority = pod.spec.priority ?? 0;
  if (pod.spec.preemptionPolicy === 'Never') return undefined;
  let best: (Preemption & { readonly highestPriority: number }) | undefined;
  for (const state of nodes) {
    const victims = victimsOn(state, priority, fits);
    if (victims === undefined || victims.length === 0) continue;
    const highestPriority = Math.max(...victims.map(priorityOf));
    const isBetter =
      best === undefined ||
      highestPriority < best.highestPriority ||
      (highestPriority === best.highestPriority && victims.length < best.victims.length);
    if (isBetter) best = { nodeName: state.node.metadata.name ?? '', victims, highestPriority };
  }
  return best && { nodeName: best.nodeName, victims: best.victims };
}

/** Simulates the removal of all lower-priority pods, then reprieves those that still fit, highest priority first. */
function victimsOn(state: NodeState, priority: number, fits: (state: NodeState) => boolean): Pod[] | undefined {
  const lowerPriorityPods = [...state.pods].filter(([, pod]) => priorityOf(pod) < priority);
  if (lowerPriorityPods.length === 0) return undefined;
  const remaining = new NodeState(state.node);
  for (const [key, pod] of state.pods) if (priorityOf(pod) >= priority) remaining.addPod(key, pod);
  if (!fits(remaining)) return undefined;
  const victims: Pod[] = [];
  for (const [key, pod] of lowerPriorityPods.sort(([, a], [, b]) => priorityOf(b) - priorityOf(a))) {
    remaining.addPod(key, pod);
    if (fits(remaining)) continue;
    remaining.removePod(key);
    victims.push(pod);
  }
  return victims;
}

function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}
