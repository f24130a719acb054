import type { Pod } from '@fairway/kube/kinds/generated/types';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { NodeState } from './node-state.ts';
import { countFailures, type Placed, placeGroup, unschedulableMessage } from './placement.ts';
import { byPriorityAndSize, groupPods } from './pod-group.ts';

/** What would become of a node's pods without it. */
export interface NodeRemoval {
  /** The cluster without the node, its pods where they would go: the start for a further node. */
  readonly after: ClusterSnapshot;
  readonly moved: readonly Placed[];
  /** Pods that fit nowhere else, with why in kube-scheduler's words: the node can't go without them waiting. */
  readonly stuck: readonly { readonly pod: Pod; readonly message: string }[];
}

export interface RemovalOptions {
  /** Leaves nodes out as destinations; all but those being removed by default. */
  readonly isDestination?: (state: NodeState) => boolean;
}

/**
 * Tries whether the pods of a node would fit on others if it was taken away, each by the filters of kube-scheduler. Pods that live and die with
 * their node don't count. The snapshot stays as it is. Throws where there is no such node.
 */
export function tryRemoval(snapshot: ClusterSnapshot, nodeName: string, options: RemovalOptions = {}): NodeRemoval {
  const steps = removalSteps(snapshot, nodeName, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Pods that are placed in one step. */
const MAX_IN_STEP = 100;

/** As `tryRemoval`, which takes minutes for a node of thousands of pods that ask for each other: whoever has a process to share stops in between. */
export function* removalSteps(
  snapshot: ClusterSnapshot,
  nodeName: string,
  options: RemovalOptions = {},
): Generator<void, NodeRemoval> {
  const state = snapshot.node(nodeName);
  if (state === undefined) throw new Error(`there is no node ${nodeName}`);
  const after = snapshot.fork();
  after.removeNode(nodeName);
  const moved: Placed[] = [];
  const stuck: { pod: Pod; message: string }[] = [];
  const groups = groupPods([...state.pods.values()].filter((pod) => !staysWithNode(pod))).sort(byPriorityAndSize);
  for (const { pods, sample } of groups) {
    for (let start = 0; start < pods.length; start += MAX_IN_STEP) {
      const some = { pods: pods.slice(start, start + MAX_IN_STEP), sample };
      const { placed, left, filter } = placeGroup(after, some, options.isDestination);
      moved.push(...placed);
      if (left.length > 0) {
        const message = unschedulableMessage(after.size, countFailures(filter, after.nodes()));
        stuck.push(...left.map((pod) => ({ pod, message })));
      }
      yield;
    }
  }
  return { after, moved, stuck };
}

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Whether a drain leaves the pod where it is: static pods and those of DaemonSets. */
export function staysWithNode({ metadata }: Pod): boolean {
  return metadata.annotations?.[MIRROR_ANNOTATION] !== undefined || isOfDaemonSet({ metadata });
}

export function isOfDaemonSet({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.ownerReferences?.some(({ controller, kind }) => controller === true && kind === 'DaemonSet') ?? false;
}
