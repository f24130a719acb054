import type { Pod } from '@fairway/kube/kinds/generated/types';
import { NodeState } from './node-state.ts';

export interface Preemption {
  readonly nodeName: string;
  readonly victims: readonly Pod[];
}

/**
 * The node and the victims of lower priority to evict so that the pod fits: the node whose victims have the lowest priority, then the
 * fewest victims. `fits` is called with the remaining pods.
 */
export function findPreemption(
  pod: Pod,
  nodes: readonly NodeState[],
  fits: (state: NodeState) => boolean,
): Preemption | undefined {
  const priority = pod.spec.priority ?? 0;
  if (pod.spec.preemptionPolicy === 'Never') return undefined;
  let best: (Preemption & { readonly highest: number }) | undefined;
  for (const state of nodes) {
    const victims = victimsOn(state, priority, fits);
    if (victims === undefined || victims.length === 0) continue;
    const highest = Math.max(...victims.map(priorityOf));
    const isBetter =
      best === undefined ||
      highest < best.highest ||
      (highest === best.highest && victims.length < best.victims.length);
    if (isBetter) best = { nodeName: state.node.metadata.name ?? '', victims, highest };
  }
  return best && { nodeName: best.nodeName, victims: best.victims };
}

/** Removes all lower-priority pods hypothetically, then reprieves those that still fit, highest priority first. */
function victimsOn(state: NodeState, priority: number, fits: (state: NodeState) => boolean): Pod[] | undefined {
  const lower = [...state.pods].filter(([, pod]) => priorityOf(pod) < priority);
  if (lower.length === 0) return undefined;
  const left = new NodeState(state.node);
  for (const [key, pod] of state.pods) if (priorityOf(pod) >= priority) left.addPod(key, pod);
  if (!fits(left)) return undefined;
  const victims: Pod[] = [];
  for (const [key, pod] of lower.sort(([, a], [, b]) => priorityOf(b) - priorityOf(a))) {
    left.addPod(key, pod);
    if (fits(left)) continue;
    left.removePod(key);
    victims.push(pod);
  }
  return victims;
}

function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}
