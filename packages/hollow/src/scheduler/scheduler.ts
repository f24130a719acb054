import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import { type Clock, formatTime } from '@fairway/kube/clock';
import { Controller } from '@fairway/kube/controller/controller';
import type { Result } from '@fairway/kube/controller/result';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { Binding, Namespace, Node, Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import type { Logger } from '@fairway/kube/log';
import { isApiError } from '@fairway/kube/object/api-error';
import { findNode } from './fit.ts';
import { NodeState, takesRoom } from './node-state.ts';

export interface SchedulerOptions {
  readonly client: KubeClient;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly namespaces: Informer<Namespace>;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const SCHEDULER_NAME = 'default-scheduler';

/**
 * Binds pods to nodes, one decision at a time, each on what the caches show and the decisions before it ("assumed" pods), as kube-scheduler does.
 * A pod that fits nowhere waits until something changes that could make room: a node, or a pod that goes.
 */
export class Scheduler {
  readonly controller: Controller;
  readonly #options: SchedulerOptions;
  readonly #states = new Map<string, NodeState>();
  /** Where each pod is counted. */
  readonly #placed = new Map<string, string>();
  readonly #unschedulable = new Set<string>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { clock, random, log, pods, nodes } = options;
    this.controller = new Controller({
      name: 'scheduler',
      clock,
      random,
      log,
      concurrency: 1,
      backoff: { baseMs: 100, maxMs: 10_000 },
      reconcile: (key) => this.#schedule(key),
    });
    // The handlers come before the controller's own, so that a decision sees what woke it.
    nodes.addHandler({
      onAdd: (node) => this.#nodeChanged(node),
      onUpdate: (_, node) => this.#nodeChanged(node),
      onDelete: (node) => this.#states.delete(node.metadata.name ?? ''),
    });
    pods.addHandler({
      onAdd: (pod) => this.#podChanged(pod),
      onUpdate: (_, pod) => this.#podChanged(pod),
      onDelete: (pod) => this.#podGone(keyOf(pod)),
    });
    this.controller.watch(pods, (pod) => (isPending(pod) ? [keyOf(pod)] : []));
  }

  async #schedule(key: string): Promise<Result> {
    const { pods, events, random, namespaces } = this.#options;
    const pod = pods.get(key);
    if (pod === undefined || !isPending(pod) || this.#placed.has(key)) {
      this.#unschedulable.delete(key);
      return {};
    }
    const gates = pod.spec?.schedulingGates ?? [];
    if (gates.length > 0) {
      await this.#setScheduled(pod, 'SchedulingGated', 'Scheduling is blocked due to non-empty scheduling gates');
      return {};
    }
    const labelsOf = (namespace: string) => namespaces.get(namespace)?.metadata.labels ?? {};
    const fit = findNode(pod, [...this.#states.values()], { labelsOf, random });
    if (fit.kind === 'none') {
      this.#unschedulable.add(key);
      if (await this.#setScheduled(pod, 'Unschedulable', fit.message))
        events.warning(pod, 'FailedScheduling', fit.message);
      return {};
    }
    this.#unschedulable.delete(key);
    await this.#bind(key, pod, fit.nodeName);
    return {};
  }

  /** Counts the pod on its node before the API server has confirmed it, so that the next decision knows. */
  async #bind(key: string, pod: Pod, nodeName: string): Promise<void> {
    const { client, events } = this.#options;
    const { name = '', namespace = '', uid } = pod.metadata;
    this.#place(key, pod, nodeName);
    const binding: Binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, ...(uid !== undefined && { uid }) },
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    };
    try {
      await client.resource(Pods).createSubresource(name, 'binding', binding, { namespace });
      events.normal(pod, 'Scheduled', `Successfully assigned ${key} to ${nodeName}`);
    } catch (error) {
      this.#podGone(key);
      // Gone, or bound by somebody else: the cache will say so.
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  /** Writes the PodScheduled condition; resolves with whether it is news. */
  async #setScheduled(pod: Pod, reason: string, message: string): Promise<boolean> {
    const { client, clock } = this.#options;
    const { name = '', namespace = '', uid } = pod.metadata;
    const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (known?.status === 'False' && known.reason === reason && known.message === message) return false;
    const lastTransitionTime = known?.status === 'False' ? known.lastTransitionTime : formatTime(clock.now());
    const condition = { type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime };
    const value = { metadata: { uid }, status: { conditions: [condition] } };
    try {
      await client.resource(Pods).patch(name, { type: 'strategic', value }, { namespace, subresource: 'status' });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
    return true;
  }

  #nodeChanged(node: Node): void {
    const name = node.metadata.name ?? '';
    const state = this.#states.get(name);
    if (state) state.setNode(node);
    else {
      this.#states.set(name, new NodeState(node));
      for (const [key, nodeName] of this.#placed) {
        const pod = nodeName === name ? this.#options.pods.get(key) : undefined;
        if (pod) this.#states.get(name)?.addPod(key, pod);
      }
    }
    this.#retryUnschedulable();
  }

  #podChanged(pod: Pod): void {
    const key = keyOf(pod);
    const nodeName = pod.spec?.nodeName;
    if (nodeName && takesRoom(pod)) this.#place(key, pod, nodeName);
    else if (!takesRoom(pod)) this.#podGone(key);
  }

  #place(key: string, pod: Pod, nodeName: string): void {
    const former = this.#placed.get(key);
    if (former !== undefined && former !== nodeName) this.#states.get(former)?.removePod(key);
    this.#placed.set(key, nodeName);
    this.#states.get(nodeName)?.addPod(key, pod);
  }

  #podGone(key: string): void {
    const nodeName = this.#placed.get(key);
    this.#unschedulable.delete(key);
    if (nodeName === undefined) return;
    this.#placed.delete(key);
    this.#states.get(nodeName)?.removePod(key);
    this.#retryUnschedulable();
  }

  /** Something changed that could make room. */
  #retryUnschedulable(): void {
    for (const key of this.#unschedulable) this.controller.enqueue(key);
  }
}

function isPending({ spec, status, metadata }: Pod): boolean {
  const isMine = (spec?.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME;
  return isMine && !spec?.nodeName && metadata.deletionTimestamp === undefined && status?.phase !== 'Failed';
}
