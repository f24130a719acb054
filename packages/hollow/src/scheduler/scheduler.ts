import type { Store } from '@fairway/apiserver/store/store';
import { type Clock, formatTime } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Controller } from '@fairway/kube/controller/controller';
import type { Result } from '@fairway/kube/controller/result';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { Binding, Namespace, Node, Pod } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes, Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { findNode, fitsAlone } from '@fairway/scheduling/fit';
import { NodeState, usesResources } from '@fairway/scheduling/node-state';
import { findPreemption } from '@fairway/scheduling/preemption';
import { type ClaimStep, PodVolumes, SELECTED_NODE_ANNOTATION } from '@fairway/scheduling/volumes';
import { deletePod, recordDisruption } from '../controllers/disrupt-pod.ts';

export interface SchedulerOptions {
  readonly client: KubeClient;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly namespaces: Informer<Namespace>;
  /** Claims and volumes are read only for pods that use them. */
  readonly reader: ObjectReader;
  readonly store: Pick<Store, 'subscribe'>;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const SCHEDULER_NAME = 'default-scheduler';
const VOLUME_BUCKETS = new Set(['persistentvolumeclaims', 'persistentvolumes', 'csinodes.storage.k8s.io']);

/**
 * Binds pods to nodes, one decision at a time, based on the caches and earlier decisions ("assumed" pods), like
 * kube-scheduler. An unschedulable pod waits for a change that could free capacity: a node, or a deleted pod.
 */
export class Scheduler {
  readonly controller: Controller;
  readonly #options: SchedulerOptions;
  readonly #states = new Map<string, NodeState>();
  /** The node that each pod is counted on. */
  readonly #nodesByPod = new Map<string, string>();
  readonly #unschedulable = new Set<string>();
  /**
   * Nominated pods and their nodes: no other pod of the same or a lower priority may use the capacity freed by
   * preemption there.
   */
  readonly #nominated = new Map<string, string>();
  /** Pending pods with their priority: each pod enqueues one run, and a run takes the one with the highest priority. */
  readonly #queue = new Map<string, number>();

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
      reconcile: (key) => this.#scheduleNext(key),
    });
    // These handlers run before the controller's own: a decision must see the change that triggered it.
    nodes.addHandler({
      onAdd: (node) => this.#onNodeChange(node),
      onUpdate: (_, node) => this.#onNodeChange(node),
      onDelete: (node) => this.#states.delete(node.metadata.name ?? ''),
    });
    pods.addHandler({
      onAdd: (pod) => {
        const { nominatedNodeName } = pod.status ?? {};
        if (nominatedNodeName && isPending(pod)) this.#nominated.set(keyOf(pod), nominatedNodeName);
        this.#onPodChange(pod);
      },
      onUpdate: (_, pod) => this.#onPodChange(pod),
      onDelete: (pod) => this.#onPodDelete(keyOf(pod)),
    });
    this.controller.watch(pods, (pod) => (isPending(pod) ? [keyOf(pod)] : []));
  }

  /** Watches claims, which may unblock a pending pod. Returns a function that stops it. */
  followVolumes(): () => void {
    return this.#options.store.subscribe((changes) => {
      if (changes.some(({ bucket }) => VOLUME_BUCKETS.has(bucket))) this.#retryUnschedulable();
    });
  }

  async #scheduleNext(turn: string): Promise<Result> {
    const key = this.#next(turn);
    try {
      return await this.#schedule(key);
    } catch (error) {
      // The run is retried while this pod is still pending.
      const pod = this.#options.pods.get(key);
      if (pod) this.#queue.set(key, pod.spec.priority ?? 0);
      throw error;
    }
  }

  /** The pending pod with the highest priority; among equals, the first in the queue. */
  #next(key: string): string {
    let best = key;
    let highest = this.#queue.get(key) ?? Number.NEGATIVE_INFINITY;
    for (const [other, priority] of this.#queue) {
      if (priority > highest) [best, highest] = [other, priority];
    }
    // Another pod takes this run, so the pod of this run is queued again.
    if (best !== key) this.controller.enqueue(key);
    this.#queue.delete(best);
    return best;
  }

  async #schedule(key: string): Promise<Result> {
    const { pods, events, random, namespaces, reader } = this.#options;
    const pod = pods.get(key);
    if (pod === undefined || !isPending(pod) || this.#nodesByPod.has(key)) {
      this.#unschedulable.delete(key);
      return {};
    }
    const gates = pod.spec?.schedulingGates ?? [];
    if (gates.length > 0) {
      await this.#setScheduled(pod, 'SchedulingGated', 'Scheduling is blocked due to non-empty scheduling gates');
      return {};
    }
    const labelsOf = (namespace: string) => namespaces.get(namespace)?.metadata.labels ?? {};
    const volumes = new PodVolumes(pod, reader);
    const fit = this.#withNominatedPods(key, pod, (states) => findNode(pod, states, { labelsOf, random, volumes }));
    if (fit.kind === 'none') {
      this.#unschedulable.add(key);
      if (await this.#setScheduled(pod, 'Unschedulable', fit.message)) {
        events.warning(pod, 'FailedScheduling', fit.message);
      }
      await this.#preempt(key, pod);
      return {};
    }
    const node = this.#states.get(fit.nodeName)?.node;
    const steps = node ? volumes.stepsFor(node) : [];
    if (steps.length > 0) {
      // Its claims must be bound first; a change to a claim requeues the pod.
      this.#unschedulable.add(key);
      for (const step of steps) await this.#prepareClaim(step, fit.nodeName);
      return {};
    }
    this.#unschedulable.delete(key);
    await this.#bind(key, pod, fit.nodeName);
    return {};
  }

  async #prepareClaim(step: ClaimStep, nodeName: string): Promise<void> {
    const { client } = this.#options;
    const { metadata } = step.claim;
    if (step.kind === 'provision') {
      if (metadata.annotations?.[SELECTED_NODE_ANNOTATION] === nodeName) return;
      const annotations = { ...metadata.annotations, [SELECTED_NODE_ANNOTATION]: nodeName };
      await client.resource(PersistentVolumeClaims).update({ ...step.claim, metadata: { ...metadata, annotations } });
      return;
    }
    if (step.volume.spec.claimRef?.uid === metadata.uid) return;
    const { namespace = '', name = '', uid = '' } = metadata;
    const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
    await client.resource(PersistentVolumes).update({ ...step.volume, spec: { ...step.volume.spec, claimRef } });
  }

  /** Preempts lower-priority pods; the pod is retried once they are deleted. Disruption budgets are ignored. */
  async #preempt(key: string, pod: Pod): Promise<void> {
    const { client, clock, events } = this.#options;
    if ((pod.spec.priority ?? 0) <= 0 && !this.#hasNegativePriorities()) return;
    const isInProgress =
      pod.status?.nominatedNodeName &&
      [...(this.#states.get(pod.status.nominatedNodeName)?.pods.values() ?? [])].some(
        ({ metadata }) => metadata.deletionTimestamp,
      );
    if (isInProgress) return;
    const preemption = this.#withNominatedPods(key, pod, (states) =>
      findPreemption(pod, states, (state) => fitsAlone(pod, state)),
    );
    if (preemption === undefined) return this.#clearNomination(key);
    this.#nominated.set(key, preemption.nodeName);
    const { name = '', namespace = '', uid } = pod.metadata;
    const value = { metadata: { uid }, status: { nominatedNodeName: preemption.nodeName } };
    await client.resource(Pods).patch(name, { type: 'strategic', value }, { namespace, subresource: 'status' });
    for (const victim of preemption.victims) {
      const message = `${SCHEDULER_NAME}: preempting to accommodate a higher priority pod`;
      await recordDisruption(client, victim, 'PreemptionByScheduler', message, clock.now());
      await deletePod(client, victim);
      events.normal(victim, 'Preempted', `Preempted by pod ${uid} on node ${preemption.nodeName}`);
    }
  }

  /** Schedules a pod as if nominated pods that it must not block were already on their nodes. */
  #withNominatedPods<T>(key: string, pod: Pod, decide: (states: readonly NodeState[]) => T): T {
    const added: (() => void)[] = [];
    for (const [other, nodeName] of this.#nominated) {
      const nominated = this.#options.pods.get(other);
      const state = this.#states.get(nodeName);
      if (other === key || nominated === undefined || state === undefined || this.#nodesByPod.has(other)) continue;
      if ((nominated.spec.priority ?? 0) < (pod.spec.priority ?? 0)) continue;
      state.addPod(other, nominated);
      added.push(() => state.removePod(other));
    }
    try {
      return decide([...this.#states.values()]);
    } finally {
      for (const remove of added) remove();
    }
  }

  /** Releases the nomination of a pod that needs no capacity, or for which preemption can't free any. */
  #clearNomination(key: string): void {
    if (this.#nominated.delete(key)) this.#retryUnschedulable();
  }

  #hasNegativePriorities(): boolean {
    return [...this.#states.values()].some(({ pods }) =>
      [...pods.values()].some(({ spec }) => (spec.priority ?? 0) < 0),
    );
  }

  /** Assumes the pod on its node before the API server has confirmed it, so the next decision counts it. */
  async #bind(key: string, pod: Pod, nodeName: string): Promise<void> {
    const { client, events } = this.#options;
    const { name = '', namespace = '', uid } = pod.metadata;
    this.#place(key, pod, nodeName);
    this.#clearNomination(key);
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
      this.#onPodDelete(key);
      // Deleted, or bound by another scheduler: the cache will show it.
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  /** Writes the PodScheduled condition; resolves with whether it changed. */
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

  #onNodeChange(node: Node): void {
    const name = node.metadata.name ?? '';
    const state = this.#states.get(name);
    if (state) state.setNode(node);
    else {
      this.#states.set(name, new NodeState(node));
      for (const [key, nodeName] of this.#nodesByPod) {
        const pod = nodeName === name ? this.#options.pods.get(key) : undefined;
        if (pod) this.#states.get(name)?.addPod(key, pod);
      }
    }
    this.#retryUnschedulable();
  }

  #onPodChange(pod: Pod): void {
    const key = keyOf(pod);
    const nodeName = pod.spec?.nodeName;
    if (isPending(pod)) this.#queue.set(key, pod.spec.priority ?? 0);
    if (nodeName && usesResources(pod)) this.#place(key, pod, nodeName);
    else if (!usesResources(pod)) this.#onPodDelete(key);
  }

  #place(key: string, pod: Pod, nodeName: string): void {
    const former = this.#nodesByPod.get(key);
    if (former !== undefined && former !== nodeName) this.#states.get(former)?.removePod(key);
    this.#nodesByPod.set(key, nodeName);
    this.#states.get(nodeName)?.addPod(key, pod);
  }

  #onPodDelete(key: string): void {
    const nodeName = this.#nodesByPod.get(key);
    this.#unschedulable.delete(key);
    this.#queue.delete(key);
    this.#clearNomination(key);
    if (nodeName === undefined) return;
    this.#nodesByPod.delete(key);
    this.#states.get(nodeName)?.removePod(key);
    this.#retryUnschedulable();
  }

  /** Requeues pending pods after a change that could free capacity. */
  #retryUnschedulable(): void {
    for (const key of this.#unschedulable) {
      this.#queue.set(key, this.#options.pods.get(key)?.spec.priority ?? 0);
      this.controller.enqueue(key);
    }
  }
}

function isPending({ spec, status, metadata }: Pod): boolean {
  const isResponsible = (spec?.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME;
  return isResponsible && !spec?.nodeName && metadata.deletionTimestamp === undefined && status?.phase !== 'Failed';
}
