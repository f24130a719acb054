import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { type Amounts, add, amountsOf, podRequests, subtract } from '@fairway/kube/object/pod-resources';

/** A node with the pods running on it or assumed. */
export class NodeState {
  node: Node;
  allocatable: Amounts;
  readonly requested: Map<string, number>;
  readonly pods: Map<string, Pod>;
  /** Those of the pods that keep others away: the only ones that matter to a pod without terms of its own. */
  readonly antiAffine: Map<string, Pod>;

  constructor(node: Node, like?: NodeState) {
    this.node = node;
    this.allocatable = like?.allocatable ?? amountsOf(node.status?.allocatable);
    this.requested = new Map(like?.requested);
    this.pods = new Map(like?.pods);
    this.antiAffine = new Map(like?.antiAffine);
  }

  /** A copy whose pods change apart from this one's. */
  clone(): NodeState {
    return new NodeState(this.node, this);
  }

  setNode(node: Node): void {
    this.node = node;
    this.allocatable = amountsOf(node.status?.allocatable);
  }

  addPod(key: string, pod: Pod): void {
    this.removePod(key);
    this.pods.set(key, pod);
    if (isAntiAffine(pod)) this.antiAffine.set(key, pod);
    add(this.requested, podRequests(pod));
  }

  removePod(key: string): void {
    const pod = this.pods.get(key);
    if (pod === undefined) return;
    this.pods.delete(key);
    this.antiAffine.delete(key);
    subtract(this.requested, podRequests(pod));
  }
}

function isAntiAffine({ spec }: Pod): boolean {
  return (spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0;
}

/** Whether the pod still uses resources: finished pods do not. */
export function takesRoom(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}
