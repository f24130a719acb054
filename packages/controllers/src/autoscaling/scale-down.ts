import type { Machine } from '@fairway/api/kinds/machine';
import { staysWithNode, tryRemoval } from '@fairway/scheduling/node-removal';
import type { NodeState } from '@fairway/scheduling/node-state';
import type { ClusterView } from './cluster-view.ts';
import { type DisruptionBudgets, immovableReason } from './drainable.ts';

const SCALE_DOWN_DISABLED_ANNOTATION = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
/** cluster-autoscaler's --max-empty-bulk-delete. */
export const MAX_EMPTY_AT_ONCE = 10;

/** A node that may be deleted. */
export interface Candidate {
  readonly machine: Machine;
  readonly nodeName: string;
  readonly pool: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isReady: boolean;
  /** When the node became unneeded; undefined if it was still needed until now. */
  readonly sinceMs: number | undefined;
  readonly settings: ScaleDownSettings;
}

/** The pool's settings; times in milliseconds. */
export interface ScaleDownSettings {
  readonly utilizationThreshold: number;
  readonly unneededMs: number;
  readonly unreadyMs: number;
}

export interface UnneededNode {
  readonly candidate: Candidate;
  readonly reason: 'Empty' | 'Underused' | 'NotReady';
  readonly message: string;
  /** Whether the node can be deleted without moving any pod. */
  readonly isEmpty: boolean;
}

export interface UnneededSearchResult {
  readonly unneeded: readonly UnneededNode[];
  /** Why the other nodes are needed, by node name. */
  readonly needed: ReadonlyMap<string, string>;
}

/**
 * Which set of nodes the cluster could do without: nodes are removed one after another, and the pods of each must fit
 * on those that remain. Empty nodes come first, then those unneeded for longest, to keep the selection stable.
 */
export function findUnneeded(
  { snapshot, presentNodeNames }: Pick<ClusterView, 'snapshot' | 'presentNodeNames'>,
  candidates: readonly Candidate[],
  budgets: DisruptionBudgets,
): UnneededSearchResult {
  // Pods do not move to nodes that may never become ready.
  const isDestination = ({ node }: NodeState) => presentNodeNames.has(node.metadata.name ?? '');
  const unneeded: UnneededNode[] = [];
  const needed = new Map<string, string>();
  let current = snapshot;
  const evaluations = candidates.map((candidate) =>
    evaluateCandidate(candidate, snapshot.node(candidate.nodeName), budgets),
  );
  evaluations.sort(
    (a, b) => a.moving - b.moving || (a.candidate.sinceMs ?? Infinity) - (b.candidate.sinceMs ?? Infinity),
  );
  for (const { candidate, blocker, reason, message, moving } of evaluations) {
    const { nodeName } = candidate;
    if (blocker !== undefined) {
      needed.set(nodeName, blocker);
      continue;
    }
    const { after, unplaceablePods } = tryRemoval(current, nodeName, { isDestination });
    const [first] = unplaceablePods;
    if (first) {
      needed.set(
        nodeName,
        `pod ${first.pod.metadata.namespace}/${first.pod.metadata.name} fits on no other node: ${first.message}`,
      );
      continue;
    }
    current = after;
    unneeded.push({ candidate, reason, message, isEmpty: moving === 0 });
  }
  return { unneeded, needed };
}

interface Evaluation {
  readonly candidate: Candidate;
  /** Why the node is needed, regardless of other nodes. */
  readonly blocker?: string;
  readonly reason: UnneededNode['reason'];
  readonly message: string;
  /** Pods that need another node. */
  readonly moving: number;
}

function evaluateCandidate(candidate: Candidate, state: NodeState | undefined, budgets: DisruptionBudgets): Evaluation {
  const base = { candidate, reason: 'Empty' as const, message: 'it runs only DaemonSet pods', moving: 0 };
  if (state === undefined) return { ...base, blocker: 'its state is not known' };
  if (candidate.annotations[SCALE_DOWN_DISABLED_ANNOTATION] === 'true') {
    return { ...base, blocker: `it has the annotation ${SCALE_DOWN_DISABLED_ANNOTATION}: "true"` };
  }
  const pods = [...state.pods.values()].filter((pod) => !staysWithNode(pod));
  const { utilizationThreshold } = candidate.settings;
  const share = utilizationOf(state);
  const percent = `${Math.floor(share * 100)} %`;
  if (candidate.isReady && share >= utilizationThreshold) {
    return {
      ...base,
      blocker: `${percent} of it is requested; the threshold is ${utilizationThreshold * 100} %`,
      moving: pods.length,
    };
  }
  const blocker = firstResult(pods, (pod) => immovableReason(pod, budgets));
  if (blocker !== undefined) return { ...base, blocker, moving: pods.length };
  if (!candidate.isReady) {
    return {
      candidate,
      reason: 'NotReady',
      message: 'it is not ready, and its pods fit on other nodes',
      moving: pods.length,
    };
  }
  if (pods.length === 0) return base;
  return {
    candidate,
    reason: 'Underused',
    message: `${percent} of it is requested, and its pods fit on other nodes`,
    moving: pods.length,
  };
}

function firstResult<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The larger of the shares of CPU and memory that all pods on the node request, including DaemonSets. If the node has
 * GPUs, only the GPU share is used, because GPUs determine its price.
 */
export function utilizationOf({ allocatable, requested }: Pick<NodeState, 'allocatable' | 'requested'>): number {
  const share = (resource: string) => {
    const all = allocatable.get(resource) ?? 0;
    return all === 0 ? 0 : (requested.get(resource) ?? 0) / all;
  };
  const gpu = GPU_RESOURCES.find((resource) => (allocatable.get(resource) ?? 0) > 0);
  return gpu ? share(gpu) : Math.max(share('cpu'), share('memory'));
}

const GPU_RESOURCES = ['nvidia.com/gpu', 'amd.com/gpu', 'intel.com/gpu'];

/** How long after it became unneeded a node may be deleted. */
export function removableAtMs({ candidate }: UnneededNode, nowMs: number): number {
  const { settings, isReady, sinceMs = nowMs } = candidate;
  return sinceMs + (isReady ? settings.unneededMs : settings.unreadyMs);
}

export interface RemovalLimits {
  readonly nowMs: number;
  /** How many nodes each pool may lose. */
  readonly spare: ReadonlyMap<string, number>;
  /** Machines that are already being deleted. */
  readonly leaving: number;
}

/** The nodes to delete now: up to ten empty ones at once, or otherwise one with pods if no other is being deleted. */
export function chooseRemovals(
  unneeded: readonly UnneededNode[],
  { nowMs, spare, leaving }: RemovalLimits,
): UnneededNode[] {
  const left = new Map(spare);
  const claimRemoval = ({ candidate }: UnneededNode) => {
    const nodes = left.get(candidate.pool) ?? 0;
    if (nodes <= 0) return false;
    left.set(candidate.pool, nodes - 1);
    return true;
  };
  const due = unneeded
    .filter((each) => removableAtMs(each, nowMs) <= nowMs)
    .sort((a, b) => removableAtMs(a, nowMs) - removableAtMs(b, nowMs));
  const room = Math.max(0, MAX_EMPTY_AT_ONCE - leaving);
  const empty: UnneededNode[] = [];
  for (const each of due) if (each.isEmpty && empty.length < room && claimRemoval(each)) empty.push(each);
  if (empty.length > 0) return empty;
  if (leaving > 0) return [];
  const first = due.find((each) => !each.isEmpty && claimRemoval(each));
  return first ? [first] : [];
}
