import type { Pod } from '@fairway/kube/kinds/generated/types';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { NodeState } from './node-state.ts';
import type { PodFilter } from './pod-filter.ts';
import type { PodGroup } from './pod-group.ts';

export interface PlacedPod {
  readonly pod: Pod;
  readonly nodeName: string;
}

/** The result of placing identical pods. */
export interface GroupPlacement {
  readonly placed: readonly PlacedPod[];
  /** The remaining pods, which fit on no node. */
  readonly unplaced: readonly Pod[];
  /** The filter that counts all placed pods; it explains why the remaining pods fit nowhere. */
  readonly filter: PodFilter;
}

/**
 * Places the pods of a group one after another on the first node with room, and keeps them in the snapshot. `isAllowed`
 * decides which nodes may be used. Checks each node once, not once per pod, unless the pods' own terms make their
 * placements depend on each other.
 */
export function placeGroup(
  snapshot: ClusterSnapshot,
  group: PodGroup,
  isAllowed: (state: NodeState) => boolean = () => true,
): GroupPlacement {
  const filter = snapshot.filterFor(group.sample);
  const names = [...snapshot.nodes()].filter(isAllowed).map(({ node }) => node.metadata.name ?? '');
  const placed: PlacedPod[] = [];
  let cursor = 0;
  for (const [index, pod] of group.pods.entries()) {
    if (filter.dependsOnOtherNodes) cursor = 0;
    while (cursor < names.length && !admits(snapshot, filter, names[cursor])) cursor++;
    const nodeName = names[cursor];
    if (nodeName === undefined) return { placed, unplaced: group.pods.slice(index), filter };
    filter.note(pod, snapshot.place(pod, nodeName));
    placed.push({ pod, nodeName });
  }
  return { placed, unplaced: [], filter };
}

function admits(snapshot: ClusterSnapshot, filter: PodFilter, nodeName: string | undefined): boolean {
  const state = nodeName === undefined ? undefined : snapshot.node(nodeName);
  return state !== undefined && filter.admits(state);
}

/** Limits the length of the message: each node may have a different taint. */
const MAX_REASONS = 10;

/** kube-scheduler's message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable." */
export function unschedulableMessage(nodes: number, reasons: ReadonlyMap<string, number>): string {
  if (nodes === 0) return 'no nodes available to schedule pods';
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  const omitted = parts.length > MAX_REASONS ? [`${parts.length - MAX_REASONS} more reasons`] : [];
  return `0/${nodes} nodes are available: ${[...parts.slice(0, MAX_REASONS), ...omitted].join(', ')}.`;
}

/** Counts, by reason, the nodes that a pod cannot run on. */
export function countFailures(filter: PodFilter, nodes: Iterable<NodeState>): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const state of nodes) {
    for (const failure of filter.failures(state)) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
  }
  return reasons;
}
