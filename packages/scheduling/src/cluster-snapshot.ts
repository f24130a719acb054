import { keyOf } from '@fairway/kube/client/object-key';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { NodeState, usesResources } from './node-state.ts';
import type { NamespaceLabels } from './pod-affinity.ts';
import { PodFilter } from './pod-filter.ts';
import { PodVolumes } from './volumes.ts';

/** Data that filters need in addition to the nodes of a cluster and their pods. */
export interface SnapshotContext {
  readonly labelsOf: NamespaceLabels;
  /** Claims, volumes and storage classes, read only for pods that have claims. */
  readonly reader: Pick<ObjectReader, 'get' | 'list'>;
}

/**
 * The nodes of a cluster with their pods, for simulations. A fork shares all nodes with its origin until it changes
 * them, so it only costs a list of nodes. Nothing here writes to a cluster.
 */
export class ClusterSnapshot {
  readonly #context: SnapshotContext;
  readonly #states: Map<string, NodeState>;
  /** Names of the nodes whose states no other snapshot shares. */
  readonly #ownedNodes: Set<string>;

  private constructor(context: SnapshotContext, states: Map<string, NodeState>, own: Set<string>) {
    this.#context = context;
    this.#states = states;
    this.#ownedNodes = own;
  }

  /** Creates a snapshot. Finished pods and pods without a node are ignored. */
  static of(nodes: Iterable<Node>, pods: Iterable<Pod>, context: SnapshotContext): ClusterSnapshot {
    const states = new Map<string, NodeState>();
    for (const node of nodes) states.set(node.metadata.name ?? '', new NodeState(node));
    for (const pod of pods) {
      if (pod.spec.nodeName && usesResources(pod)) states.get(pod.spec.nodeName)?.addPod(keyOf(pod), pod);
    }
    return new ClusterSnapshot(context, states, new Set(states.keys()));
  }

  /** A copy of the snapshot; changes to one snapshot don't affect the other. */
  fork(): ClusterSnapshot {
    this.#ownedNodes.clear();
    return new ClusterSnapshot(this.#context, new Map(this.#states), new Set());
  }

  get size(): number {
    return this.#states.size;
  }

  /** The states of all nodes, which must only be changed through the snapshot. */
  nodes(): Iterable<NodeState> {
    return { [Symbol.iterator]: () => this.#states.values() };
  }

  node(name: string): NodeState | undefined {
    return this.#states.get(name);
  }

  /** Adds a new node with the pods that run on it from the start: pods of DaemonSets. */
  addNode(node: Node, pods: readonly Pod[] = []): NodeState {
    const name = node.metadata.name ?? '';
    if (this.#states.has(name)) throw new Error(`node ${name} is there already`);
    const state = new NodeState(node);
    for (const pod of pods) state.addPod(keyOf(pod), pod);
    this.#states.set(name, state);
    this.#ownedNodes.add(name);
    return state;
  }

  removeNode(name: string): void {
    this.#states.delete(name);
    this.#ownedNodes.delete(name);
  }

  /** Puts a pod on a node, whether it fits or not. Returns the node's new state. */
  place(pod: Pod, nodeName: string): NodeState {
    const state = this.#writableState(nodeName);
    state.addPod(keyOf(pod), pod);
    return state;
  }

  removePod(pod: Pod, nodeName: string): void {
    this.#writableState(nodeName).removePod(keyOf(pod));
  }

  /** The filters for a pod and identical pods, over the current nodes. */
  filterFor(pod: Pod): PodFilter {
    const { labelsOf, reader } = this.#context;
    const hasClaims = pod.spec.volumes?.some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral);
    const volumes = hasClaims ? new PodVolumes(pod, reader) : undefined;
    return new PodFilter(pod, this.nodes(), { labelsOf, volumes });
  }

  #writableState(name: string): NodeState {
    const state = this.#states.get(name);
    if (state === undefined) throw new Error(`there is no node ${name}`);
    if (this.#ownedNodes.has(name)) return state;
    const copy = state.clone();
    this.#states.set(name, copy);
    this.#ownedNodes.add(name);
    return copy;
  }
}
