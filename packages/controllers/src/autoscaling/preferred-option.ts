import type { Pod } from '@fairway/kube/kinds/generated/types';
import type { ClusterSnapshot } from '@fairway/scheduling/cluster-snapshot';
import type { NodeState } from '@fairway/scheduling/node-state';

/** What a pool could do for pending pods. */
export interface ScaleUpOption {
  readonly pool: { readonly name: string; readonly priority: number };
  readonly pods: readonly Pod[];
  /** The zone of each new node. */
  readonly zones: readonly (string | undefined)[];
  /** The new nodes with their pods. */
  readonly states: readonly NodeState[];
  /** The cluster as it would be after the scale-up. */
  readonly after: ClusterSnapshot;
}

/** The pool with the highest priority; ties are broken by least waste, then most pods helped, then name. */
export function preferredOption<T extends ScaleUpOption>(options: readonly T[]): T | undefined {
  const scored = options.map((option) => ({ option, waste: wasteOf(option.states) }));
  scored.sort(
    (a, b) =>
      b.option.pool.priority - a.option.pool.priority ||
      a.waste - b.waste ||
      b.option.pods.length - a.option.pods.length ||
      a.option.pool.name.localeCompare(b.option.pool.name),
  );
  return scored[0]?.option;
}

/**
 * The sum of the unrequested shares of CPU and memory on the new nodes, from 0 to 2, as in cluster-autoscaler's
 * expander least-waste.
 */
export function wasteOf(states: readonly NodeState[]): number {
  return unusedShare(states, 'cpu') + unusedShare(states, 'memory');
}

function unusedShare(states: readonly NodeState[], resource: string): number {
  let allocatable = 0;
  let requested = 0;
  for (const state of states) {
    allocatable += state.allocatable.get(resource) ?? 0;
    requested += state.requested.get(resource) ?? 0;
  }
  return allocatable === 0 ? 0 : (allocatable - requested) / allocatable;
}
