import { keyOf } from '@fairway/kube/client/object-key';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { NodeState, takesRoom } from './node-state.ts';
import type { NamespaceLabels } from './pod-affinity.ts';
import { PodFilter } from './pod-filter.ts';
import { PodVolumes } from './volumes.ts';

/** What filters ask of a cluster beside its nodes and their pods. */
export interface SnapshotContext {
  readonly labelsOf: NamespaceLabels;
  /** Claims, volumes and storage classes, read only for pods that have claims. */
  readonly reader: Pick<ObjectReader, 'get' | 'list'>;
}

/**
 * The nodes of a cluster with their pods, to try on what would happen: a fork shares all nodes with its origin until it changes them,
 * so it costs a list of nodes. Nothing here writes to a cluster.
 */
export class ClusterSnapshot {
  readonly #context: SnapshotContext;
  readonly #states: Map<string, NodeState>;
  /** The states that no other snapshot sees. */
  readonly #own: Set<string>;

  private constructor(context: SnapshotContext, states: Map<string, NodeState>, own: Set<string>) {
    this.#context = context;
    this.#states = states;
    this.#own = own;
  }

  /** Pods on none of the nodes, and finished ones, are left out. */
  static of(nodes: Iterable<Node>, pods: Iterable<Pod>, context: SnapshotContext): ClusterSnapshot {
    const states = new Map<string, NodeState>();
    for (const node of nodes) states.set(node.metadata.name ?? '', new NodeState(node));
    for (const pod of pods) {
      if (pod.spec.nodeName && takesRoom(pod)) states.get(pod.spec.nodeName)?.addPod(keyOf(pod), pod);
    }
    return new ClusterSnapshot(context, states, new Set(states.keys()));
  }

  /** A snapshot of the same; changes of one don't reach the other. */
  fork(): ClusterSnapshot {
    this.#own.clear();
    return new ClusterSnapshot(this.#context, new Map(this.#states), new Set());
  }

  get size(): number {
    return this.#states.size;
  }

  /** Never to be changed but through the snapshot. */
  nodes(): Iterable<NodeState> {
    return { [Symbol.iterator]: () => this.#states.values() };
  }

  node(name: string): NodeState | undefined {
    return this.#states.get(name);
  }

  /** Adds a node, which must not be there yet, with what runs on it from its start: pods of DaemonSets. */
  addNode(node: Node, pods: readonly Pod[] = []): NodeState {
    const name = node.metadata.name ?? '';
    if (this.#states.has(name)) throw new Error(`node ${name} is there already`);
    const state = new NodeState(node);
    for (const pod of pods) state.addPod(keyOf(pod), pod);
    this.#states.set(name, state);
    this.#own.add(name);
    return state;
  }

  removeNode(name: string): void {
    this.#states.delete(name);
    this.#own.delete(name);
  }

  /** Puts a pod on a node, whether it fits or not. Returns the node as it is then. */
  place(pod: Pod, nodeName: string): NodeState {
    const state = this.#toChange(nodeName);
    state.addPod(keyOf(pod), pod);
    return state;
  }

  takeAway(pod: Pod, nodeName: string): void {
    this.#toChange(nodeName).removePod(keyOf(pod));
  }

  /** The filters of a pod and its like over the nodes as they are now. */
  filterFor(pod: Pod): PodFilter {
    const { labelsOf, reader } = this.#context;
    const hasClaims = pod.spec.volumes?.some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral);
    const volumes = hasClaims ? new PodVolumes(pod, reader) : undefined;
    return new PodFilter(pod, this.nodes(), { labelsOf, volumes });
  }

  #toChange(name: string): NodeState {
    const state = this.#states.get(name);
    if (state === undefined) throw new Error(`there is no node ${name}`);
    if (this.#own.has(name)) return state;
    const copy = state.clone();
    this.#states.set(name, copy);
    this.#own.add(name);
    return copy;
  }
}
