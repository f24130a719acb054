import type { Pod } from '@fairway/kube/kinds/generated/types';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { NodeState } from './node-state.ts';
import { countFailures, type PlacedPod, placeGroup, unschedulableMessage } from './placement.ts';
import { byPriorityAndSize, groupPods } from './pod-group.ts';

/** How removing a node affects its pods. */
export interface NodeRemoval {
  /** The cluster without the node, with the node's pods on their new nodes: the basis for removing another node. */
  readonly after: ClusterSnapshot;
  readonly movedShards: readonly PlacedPod[];
  /** Pods that fit nowhere else, with kube-scheduler's reasons: they would be pending without the node. */
  readonly unplaceablePods: readonly { readonly pod: Pod; readonly message: string }[];
}

export interface RemovalOptions {
  /** Whether pods may move to a node; by default, pods may move to all remaining nodes. */
  readonly isDestination?: (state: NodeState) => boolean;
}

/**
 * Simulates whether a node's pods would fit on other nodes if the node were removed, using kube-scheduler's filters.
 * Static pods and those of DaemonSets don't count. The snapshot stays unchanged. Throws if the node does not exist.
 */
export function tryRemoval(snapshot: ClusterSnapshot, nodeName: string, options: RemovalOptions = {}): NodeRemoval {
  const steps = removalSteps(snapshot, nodeName, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Maximum number of pods that are placed in one step. */
const MAX_PODS_PER_STEP = 100;

/**
 * Like `tryRemoval`, in steps: with thousands of pods that depend on each other, a removal takes minutes, and callers
 * can do other work between steps.
 */
export function* removalSteps(
  snapshot: ClusterSnapshot,
  nodeName: string,
  options: RemovalOptions = {},
): Generator<void, NodeRemoval> {
  const state = snapshot.node(nodeName);
  if (state === undefined) throw new Error(`there is no node ${nodeName}`);
  const after = snapshot.fork();
  after.removeNode(nodeName);
  const movedShards: PlacedPod[] = [];
  const unplaceablePods: { pod: Pod; message: string }[] = [];
  const groups = groupPods([...state.pods.values()].filter((pod) => !staysWithNode(pod))).sort(byPriorityAndSize);
  for (const { pods, sample } of groups) {
    for (let start = 0; start < pods.length; start += MAX_PODS_PER_STEP) {
      const batch = { pods: pods.slice(start, start + MAX_PODS_PER_STEP), sample };
      const { placed, unplaced, filter } = placeGroup(after, batch, options.isDestination);
      movedShards.push(...placed);
      if (unplaced.length > 0) {
        const message = unschedulableMessage(after.size, countFailures(filter, after.nodes()));
        unplaceablePods.push(...unplaced.map((pod) => ({ pod, message })));
      }
      yield;
    }
  }
  return { after, movedShards, unplaceablePods };
}

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Whether a drain leaves the pod on the node: static pods and those of DaemonSets. */
export function staysWithNode({ metadata }: Pod): boolean {
  return metadata.annotations?.[MIRROR_ANNOTATION] !== undefined || isOfDaemonSet({ metadata });
}

export function isOfDaemonSet({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.ownerReferences?.some(({ controller, kind }) => controller === true && kind === 'DaemonSet') ?? false;
}
