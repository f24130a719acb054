import { formatTime } from '@fairway/base/clock';
import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { Expectations } from '@fairway/kube/controller/expectations';
import { controllerKeys, controllerOf } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type {
  LabelSelector,
  Pod,
  PodTemplateSpec,
  ReplicaSet,
  ReplicaSetStatus,
  ReplicationController,
} from '@fairway/kube/kinds/generated/types';
import { Pods, ReplicaSets, ReplicationControllers } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { ControllerContext } from './context.ts';
import { isPodActive, isPodAvailable, isPodReady, isPodTerminating, nextAvailableMs } from './pods.ts';
import { claimChildren, indexChildren, isSelectedBy } from './workloads/claim-children.ts';
import { compareForDeletion } from './workloads/deletion-order.ts';
import { messageOf, PodControl } from './workloads/pod-control.ts';
import { podFromTemplate } from './workloads/pod-from-template.ts';

/** Upstream's BurstReplicas. */
const BURST = 500;
const CONCURRENCY = 5;

/** The common parts of ReplicaSets and ReplicationControllers. */
interface ReplicatedObject extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec };
  status?: ReplicaSetStatus;
}

interface ReplicatedKind<T extends ReplicatedObject> {
  readonly type: ResourceType<T>;
  readonly name: string;
  /** The component that reports its events. */
  readonly component: string;
  readonly selectorOf: (set: T) => LabelSelector | undefined;
  /** Whether `status.terminatingReplicas` is counted. */
  readonly countsTerminating: boolean;
}

/** Maintains the number of pods that each ReplicaSet specifies (pkg/controller/replicaset). */
export function replicaSetController(context: ControllerContext): Controller {
  return replicaController<ReplicaSet>(context, {
    type: ReplicaSets,
    name: 'replicaset',
    component: 'replicaset-controller',
    selectorOf: ({ spec }) => spec.selector,
    countsTerminating: true,
  });
}

/**
 * Maintains the number of pods that each ReplicationController specifies; its selectors are labels
 * (pkg/controller/replication).
 */
export function replicationController(context: ControllerContext): Controller {
  return replicaController<ReplicationController>(context, {
    type: ReplicationControllers,
    name: 'replication',
    component: 'replication-controller',
    selectorOf: ({ spec }) => ({ ...(spec.selector && { matchLabels: spec.selector }) }),
    countsTerminating: false,
  });
}

function replicaController<T extends ReplicatedObject>(
  context: ControllerContext,
  kind: ReplicatedKind<T>,
): Controller {
  const { client, informers, clock, random, log } = context;
  const { type, name, selectorOf } = kind;
  const sets = informers.informer(type);
  const pods = indexChildren(informers.informer(Pods));
  const expectations = new Expectations(clock);
  const control = new PodControl(client, context.events(kind.component), expectations);
  const children = {
    informer: pods,
    children: client.resource(Pods),
    owners: client.resource(type),
    ownerType: type,
  };
  const ownersOf = controllerKeys(type);
  control.observe(pods, ownersOf);

  async function reconcile(key: string): Promise<Result> {
    const set = sets.get(key);
    if (set === undefined) {
      expectations.delete(key);
      return {};
    }
    const isSettled = expectations.isSatisfied(key);
    const claimed = await claimChildren(set, selectorOf(set), children);
    const active = claimed.filter(isPodActive);
    let failure: unknown;
    if (isSettled && set.metadata.deletionTimestamp === undefined) {
      await scale(set, active).catch((error: unknown) => {
        failure = error;
      });
    }
    await writeStatus(set, claimed, failure);
    if (failure !== undefined) throw failure;
    const waitMs = nextAvailableMs(active, set.spec.minReadySeconds ?? 0, clock.now());
    return waitMs === undefined ? {} : { requeueAfterMs: waitMs };
  }

  async function scale(set: T, active: readonly Pod[]): Promise<void> {
    const difference = active.length - (set.spec.replicas ?? 0);
    if (difference < 0) {
      const missing = Math.min(-difference, BURST);
      const created = Array.from({ length: missing }, () => podFromTemplate(set.spec.template, set, type));
      await control.createAll(set, created);
    } else if (difference > 0) {
      const order = compareForDeletion(active, clock.now());
      await control.deleteAll(set, [...active].sort(order).slice(0, Math.min(difference, BURST)));
    }
  }

  async function writeStatus(set: T, claimed: readonly Pod[], failure: unknown): Promise<void> {
    const active = claimed.filter(isPodActive);
    const status: ReplicaSetStatus = {
      ...statusOf(set, active, failure, clock.now()),
      ...(kind.countsTerminating && { terminatingReplicas: claimed.filter(isPodTerminating).length }),
    };
    if (jsonEqual(status, set.status)) return;
    await client.resource(type).updateStatus({ ...set, status });
  }

  const controller = new Controller({ name, reconcile, clock, random, log, concurrency: CONCURRENCY });
  return controller.watch(sets).watch(pods, (pod) => {
    if (controllerOf(pod) !== undefined) return ownersOf(pod);
    return sets
      .list(pod.metadata.namespace)
      .filter((set) => isSelectedBy(pod, selectorOf(set)))
      .map(keyOf);
  });
}

function statusOf(set: ReplicatedObject, active: readonly Pod[], failure: unknown, nowMs: number): ReplicaSetStatus {
  const { minReadySeconds = 0, template, replicas = 0 } = set.spec;
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const isLabelled = ({ metadata }: Pod) => labels.every(([name, value]) => metadata.labels?.[name] === value);
  const ready = active.filter(isPodReady);
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs));
  const labelled = active.filter(isLabelled);
  const others = (set.status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  const known = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  const condition = failure !== undefined && {
    type: 'ReplicaFailure',
    status: 'True',
    reason: active.length < replicas ? 'FailedCreate' : 'FailedDelete',
    message: messageOf(failure),
    lastTransitionTime: known?.lastTransitionTime ?? formatTime(nowMs),
  };
  const conditions = condition ? [...others, condition] : others;
  return {
    replicas: active.length,
    ...(labelled.length > 0 && { fullyLabeledReplicas: labelled.length }),
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(available.length > 0 && { availableReplicas: available.length }),
    ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    ...(conditions.length > 0 && { conditions }),
  };
}
