import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { type Amounts, add, parseAmounts, podRequests, subtract } from '@fairway/kube/object/pod-resources';

/** A node with its running and assumed pods. */
export class NodeState {
  node: Node;
  allocatable: Amounts;
  readonly requested: Map<string, number>;
  readonly pods: Map<string, Pod>;
  /** The pods with anti-affinity: the only ones that affect a pod without terms of its own. */
  readonly podsWithAntiAffinity: Map<string, Pod>;

  constructor(node: Node, source?: NodeState) {
    this.node = node;
    this.allocatable = source?.allocatable ?? parseAmounts(node.status?.allocatable);
    this.requested = new Map(source?.requested);
    this.pods = new Map(source?.pods);
    this.podsWithAntiAffinity = new Map(source?.podsWithAntiAffinity);
  }

  /** A copy with a separate set of pods. */
  clone(): NodeState {
    return new NodeState(this.node, this);
  }

  setNode(node: Node): void {
    this.node = node;
    this.allocatable = parseAmounts(node.status?.allocatable);
  }

  addPod(key: string, pod: Pod): void {
    this.removePod(key);
    this.pods.set(key, pod);
    if (hasAntiAffinity(pod)) this.podsWithAntiAffinity.set(key, pod);
    add(this.requested, podRequests(pod));
  }

  removePod(key: string): void {
    const pod = this.pods.get(key);
    if (pod === undefined) return;
    this.pods.delete(key);
    this.podsWithAntiAffinity.delete(key);
    subtract(this.requested, podRequests(pod));
  }
}

function hasAntiAffinity({ spec }: Pod): boolean {
  return (spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0;
}

/** Whether the pod still uses resources; finished pods do not. */
export function usesResources(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}
