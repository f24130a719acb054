import type { Machine } from '@fairway/api/kinds/machine';
import { staysWithNode, tryRemoval } from '@fairway/scheduling/node-removal';
import type { NodeState } from '@fairway/scheduling/node-state';
import type { ClusterView } from './cluster-view.ts';
import { type DisruptionBudgets, immovable } from './drainable.ts';

const SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
/** cluster-autoscaler's --max-empty-bulk-delete. */
export const MAX_EMPTY_AT_ONCE = 10;

/** A node that may be deleted. */
export interface Candidate {
  readonly machine: Machine;
  readonly nodeName: string;
  readonly pool: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isReady: boolean;
  /** Since when it is unneeded; undefined if it was needed until now. */
  readonly sinceMs: number | undefined;
  readonly settings: DownSettings;
}

/** The pool's settings; times in milliseconds. */
export interface DownSettings {
  readonly utilizationThreshold: number;
  readonly unneededMs: number;
  readonly unreadyMs: number;
}

export interface Unneeded {
  readonly candidate: Candidate;
  readonly reason: 'Empty' | 'Underused' | 'NotReady';
  readonly message: string;
  /** Whether no pod has to move. */
  readonly isEmpty: boolean;
}

export interface UnneededNodes {
  readonly unneeded: readonly Unneeded[];
  /** Why the others are needed, by the name of their node. */
  readonly needed: ReadonlyMap<string, string>;
}

/**
 * Which nodes the cluster could do without, all of them together: each is removed one after another, and its pods must fit on those that
 * remain. Empty ones come first, then those that have been unneeded for longest, so that the selection is stable.
 */
export function findUnneeded(
  { snapshot, present }: Pick<ClusterView, 'snapshot' | 'present'>,
  candidates: readonly Candidate[],
  budgets: DisruptionBudgets,
): UnneededNodes {
  // Pods do not move to nodes that may never become ready.
  const isDestination = ({ node }: NodeState) => present.has(node.metadata.name ?? '');
  const unneeded: Unneeded[] = [];
  const needed = new Map<string, string>();
  let current = snapshot;
  const judged = candidates.map((candidate) => evaluate(candidate, snapshot.node(candidate.nodeName), budgets));
  judged.sort((a, b) => a.moving - b.moving || (a.candidate.sinceMs ?? Infinity) - (b.candidate.sinceMs ?? Infinity));
  for (const { candidate, obstacle, reason, message, moving } of judged) {
    const { nodeName } = candidate;
    if (obstacle !== undefined) {
      needed.set(nodeName, obstacle);
      continue;
    }
    const { after, stuck } = tryRemoval(current, nodeName, { isDestination });
    const [first] = stuck;
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

interface Evaluated {
  readonly candidate: Candidate;
  /** Why it is needed, regardless of other nodes. */
  readonly obstacle?: string;
  readonly reason: Unneeded['reason'];
  readonly message: string;
  /** Pods that need another node. */
  readonly moving: number;
}

function evaluate(candidate: Candidate, state: NodeState | undefined, budgets: DisruptionBudgets): Evaluated {
  const base = { candidate, reason: 'Empty' as const, message: 'it runs only DaemonSet pods', moving: 0 };
  if (state === undefined) return { ...base, obstacle: 'its state is not known' };
  if (candidate.annotations[SCALE_DOWN_DISABLED] === 'true') {
    return { ...base, obstacle: `it has the annotation ${SCALE_DOWN_DISABLED}: "true"` };
  }
  const pods = [...state.pods.values()].filter((pod) => !staysWithNode(pod));
  const { utilizationThreshold } = candidate.settings;
  const share = utilizationOf(state);
  const percent = `${Math.floor(share * 100)} %`;
  if (candidate.isReady && share >= utilizationThreshold) {
    return {
      ...base,
      obstacle: `${percent} of it is requested; the threshold is ${utilizationThreshold * 100} %`,
      moving: pods.length,
    };
  }
  const obstacle = firstOf(pods, (pod) => immovable(pod, budgets));
  if (obstacle !== undefined) return { ...base, obstacle, moving: pods.length };
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

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The larger of the shares of CPU and memory that all of its pods request, including DaemonSets. If the node has GPUs, only those count, since they determine its price. */
export function utilizationOf({ allocatable, requested }: Pick<NodeState, 'allocatable' | 'requested'>): number {
  const share = (resource: string) => {
    const all = allocatable.get(resource) ?? 0;
    return all === 0 ? 0 : (requested.get(resource) ?? 0) / all;
  };
  const gpu = GPUS.find((resource) => (allocatable.get(resource) ?? 0) > 0);
  return gpu ? share(gpu) : Math.max(share('cpu'), share('memory'));
}

const GPUS = ['nvidia.com/gpu', 'amd.com/gpu', 'intel.com/gpu'];

/** When an unneeded node may be deleted, counted from when it became unneeded. */
export function removableAt({ candidate }: Unneeded, nowMs: number): number {
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

/** The nodes to delete now: up to ten empty ones at once, or otherwise one with pods, when no other is being deleted. */
export function chooseRemovals(unneeded: readonly Unneeded[], { nowMs, spare, leaving }: RemovalLimits): Unneeded[] {
  const left = new Map(spare);
  const takeSpare = ({ candidate }: Unneeded) => {
    const nodes = left.get(candidate.pool) ?? 0;
    if (nodes <= 0) return false;
    left.set(candidate.pool, nodes - 1);
    return true;
  };
  const due = unneeded
    .filter((each) => removableAt(each, nowMs) <= nowMs)
    .sort((a, b) => removableAt(a, nowMs) - removableAt(b, nowMs));
  const room = Math.max(0, MAX_EMPTY_AT_ONCE - leaving);
  const empty: Unneeded[] = [];
  for (const each of due) if (each.isEmpty && empty.length < room && takeSpare(each)) empty.push(each);
  if (empty.length > 0) return empty;
  if (leaving > 0) return [];
  const first = due.find((each) => !each.isEmpty && takeSpare(each));
  return first ? [first] : [];
}
