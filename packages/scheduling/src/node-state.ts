import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { type Amounts, add, amountsOf, podRequests, subtract } from '@fairway/kube/object/pod-resources';

/** A node with the pods running on it or assumed. */
export class NodeState {
  node: Node;
  allocatable: Amounts;
  readonly requested = new Map<string, number>();
  readonly pods = new Map<string, Pod>();

  constructor(node: Node) {
    this.node = node;
    this.allocatable = amountsOf(node.status?.allocatable);
  }

  setNode(node: Node): void {
    this.node = node;
    this.allocatable = amountsOf(node.status?.allocatable);
  }

  addPod(key: string, pod: Pod): void {
    this.removePod(key);
    this.pods.set(key, pod);
    add(this.requested, podRequests(pod));
  }

  removePod(key: string): void {
    const pod = this.pods.get(key);
    if (pod === undefined) return;
    this.pods.delete(key);
    subtract(this.requested, podRequests(pod));
  }
}

/** Whether the pod still uses resources: finished pods do not. */
export function takesRoom(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}
