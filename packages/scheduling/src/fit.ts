import type { Pod } from '@fairway/kube/kinds/generated/types';
import { podRequests } from '@fairway/kube/object/pod-resources';
import { matchesTerm, untoleratedTaint } from './node-selection.ts';
import type { NodeState } from './node-state.ts';
import { unschedulableMessage } from './placement.ts';
import type { NamespaceLabels, TopologySpread } from './pod-affinity.ts';
import { PodFilter } from './pod-filter.ts';
import type { PodVolumes } from './volumes.ts';

/** The node for a pod, or why no node fits. */
export type Fit =
  | { readonly kind: 'node'; readonly nodeName: string }
  /** kube-scheduler's message, with the number of nodes that each reason excludes. */
  | { readonly kind: 'none'; readonly message: string };

/**
 * Chooses the node for a pod: filters in kube-scheduler's order, then the best score. `random` breaks ties, so that the
 * pods of a burst do not all land on the first node.
 */
export function findNode(
  pod: Pod,
  nodes: readonly NodeState[],
  options: {
    readonly labelsOf: NamespaceLabels;
    readonly random: () => number;
    /** The pod's claims; none by default. */
    readonly volumes?: PodVolumes;
  },
): Fit {
  const { volumes } = options;
  if (volumes?.refusal !== undefined && nodes.length > 0) {
    return { kind: 'none', message: `0/${nodes.length} nodes are available: ${volumes.refusal}.` };
  }
  const filter = new PodFilter(pod, nodes, options);
  const reasons = new Map<string, number>();
  const feasible: NodeState[] = [];
  for (const state of nodes) {
    const failures = filter.failures(state);
    if (failures.length === 0) feasible.push(state);
    for (const failure of failures) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
  }
  if (feasible.length === 0) return { kind: 'none', message: unschedulableMessage(nodes.length, reasons) };
  const best = chooseBest(pod, feasible, filter.spread, options.random);
  return { kind: 'node', nodeName: best.node.metadata.name ?? '' };
}

/** Whether the pod fits on the node regardless of other nodes, to evaluate the result of a preemption. */
export function fitsAlone(pod: Pod, state: NodeState): boolean {
  return new PodFilter(pod, [state], { labelsOf: () => ({}) }).admits(state);
}

function chooseBest(pod: Pod, feasible: readonly NodeState[], spread: TopologySpread, random: () => number): NodeState {
  let best: NodeState[] = [];
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const state of feasible) {
    const score = scoreOf(pod, state, spread);
    if (score > bestScore + 1e-9) {
      best = [state];
      bestScore = score;
    } else if (score > bestScore - 1e-9) best.push(state);
  }
  return best[Math.floor(random() * best.length)] ?? (feasible[0] as NodeState);
}

/**
 * The score by kube-scheduler's default plugins and weights; each plugin scores from 0 to 100: least allocated,
 * preferred affinity ×2, soft taints ×3, spreading ×2.
 */
function scoreOf(pod: Pod, state: NodeState, spread: TopologySpread): number {
  return (
    leastAllocatedScore(pod, state) +
    2 * preferredAffinityScore(pod, state) +
    3 * (untoleratedTaint(pod, state.node, ['PreferNoSchedule']) ? 0 : 100) +
    2 * spread.score(state) +
    2 * siblingScore(pod, state)
  );
}

/**
 * Assumed requests of pods that set none, so that they are spread too (kube-scheduler's DefaultMilliCPURequest and
 * DefaultMemoryRequest).
 */
const DEFAULT_REQUESTS = new Map([
  ['cpu', 100],
  ['memory', 200 * 2 ** 20 * 1000],
]);

function leastAllocatedScore(pod: Pod, { allocatable, requested, pods }: NodeState): number {
  const own = podRequests(pod);
  let score = 0;
  for (const [name, fallback] of DEFAULT_REQUESTS) {
    const capacity = allocatable.get(name) ?? 0;
    if (capacity === 0) continue;
    const used = Math.max(requested.get(name) ?? 0, pods.size * fallback) + (own.get(name) ?? fallback);
    score += (Math.max(capacity - used, 0) / capacity) * 50;
  }
  return score;
}

function preferredAffinityScore(pod: Pod, { node }: NodeState): number {
  const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return 0;
  const matchedWeight = terms
    .filter(({ preference }) => matchesTerm(preference, node))
    .reduce((sum, { weight }) => sum + weight, 0);
  return (matchedWeight / total) * 100;
}

/** Spreads pods of one owner over nodes (the system default constraints of PodTopologySpread). */
function siblingScore(pod: Pod, { pods }: NodeState): number {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
  if (owner === undefined) return 0;
  let siblings = 0;
  for (const other of pods.values()) if (other.metadata.ownerReferences?.some(({ uid }) => uid === owner)) siblings++;
  return 100 / (1 + siblings);
}
