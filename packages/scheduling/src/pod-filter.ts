import type { Pod } from '@fairway/kube/kinds/generated/types';
import { type Amounts, podRequests } from '@fairway/kube/object/pod-resources';
import { type HostPort, hasPortConflict, hostPorts } from './host-ports.ts';
import { matchesNodeAffinity, tolerates, untoleratedTaint } from './node-selection.ts';
import type { NodeState } from './node-state.ts';
import { type NamespaceLabels, PodAffinityFilter, TopologySpread } from './pod-affinity.ts';
import type { PodVolumes } from './volumes.ts';

export interface PodFilterOptions {
  readonly labelsOf: NamespaceLabels;
  /** The pod's claims; none by default. */
  readonly volumes?: PodVolumes | undefined;
}

/**
 * kube-scheduler's filters for one pod and all identical pods, compiled once over the nodes of a cluster, then queried
 * node by node. Callers must report changes to those nodes with `note` and `addNode`.
 */
export class PodFilter {
  readonly spread: TopologySpread;
  readonly #pod: Pod;
  readonly #requests: Amounts;
  readonly #ports: readonly HostPort[];
  readonly #affinity: PodAffinityFilter;
  readonly #volumes: PodVolumes | undefined;

  readonly #options: PodFilterOptions;

  constructor(pod: Pod, nodes: Iterable<NodeState>, options: PodFilterOptions, source?: PodFilter) {
    this.#pod = pod;
    this.#options = options;
    this.#requests = podRequests(pod);
    this.#ports = hostPorts(pod);
    this.#affinity = source ? source.#affinity.clone() : new PodAffinityFilter(pod, nodes, options.labelsOf);
    this.spread = source ? source.spread.clone() : new TopologySpread(pod, nodes);
    this.#volumes = options.volumes;
  }

  /** A copy that tracks its own changes; cheaper than compiling all nodes again. */
  clone(): PodFilter {
    return new PodFilter(this.#pod, [], this.#options, this);
  }

  /** Whether pods on one node can make a pod fit on another node, because of affinity or spread constraints. */
  get dependsOnOtherNodes(): boolean {
    return this.#affinity.hasTerms || this.spread.hasConstraints;
  }

  admits(state: NodeState): boolean {
    // The most frequent failure is checked first; the order otherwise only matters for messages.
    return this.#hasRoom(state) && this.failures(state).length === 0;
  }

  /**
   * Why a node is excluded, in kube-scheduler's words. The first filter that rejects the node decides; it may return
   * several reasons for resources.
   */
  failures(state: NodeState): readonly string[] {
    const { node } = state;
    const pod = this.#pod;
    const isUnschedulable =
      node.spec?.unschedulable === true &&
      !pod.spec?.tolerations?.some((toleration) =>
        tolerates(toleration, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }),
      );
    if (isUnschedulable) return ['node(s) were unschedulable'];
    if (!matchesNodeAffinity(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
    const taint = untoleratedTaint(pod, node);
    if (taint) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`];
    if (hasPortConflict(this.#ports, state.pods.values())) {
      return ["node(s) didn't have free ports for the requested pod ports"];
    }
    const missing = this.#missingResources(state);
    if (missing.length > 0) return missing;
    const volumeFailure = this.#volumes?.refusal ?? this.#volumes?.failure(state);
    if (volumeFailure !== undefined) return [volumeFailure];
    if (!this.spread.admits(state)) return ["node(s) didn't match pod topology spread constraints"];
    if (!this.#affinity.admits(state)) return ["node(s) didn't match pod affinity/anti-affinity rules"];
    return [];
  }

  /** Reports another pod that was placed on a node. */
  note(other: Pod, state: NodeState): void {
    this.#affinity.note(other, state);
    this.spread.note(other, state);
  }

  /** Reports a new node with its pods. */
  addNode(state: NodeState): void {
    this.spread.addNode(state);
    for (const other of state.pods.values()) this.#affinity.note(other, state);
  }

  #hasRoom({ allocatable, requested, pods }: NodeState): boolean {
    if (pods.size >= (allocatable.get('pods') ?? 0) / 1000) return false;
    for (const [name, amount] of this.#requests) {
      if (amount > 0 && amount > (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0)) return false;
    }
    return true;
  }

  #missingResources({ allocatable, requested, pods }: NodeState): string[] {
    const missing: string[] = [];
    const podLimit = (allocatable.get('pods') ?? 0) / 1000;
    if (pods.size + 1 > podLimit) missing.push('Too many pods');
    for (const [name, amount] of this.#requests) {
      if (amount > 0 && amount > (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0))
        missing.push(`Insufficient ${name}`);
    }
    return missing;
  }
}
