import { keyOf } from '@fairway/kube/client/object-key';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { setCondition } from '@fairway/kube/controller/conditions';
import { Controller } from '@fairway/kube/controller/controller';
import { controllerOf, groupOf } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '@fairway/kube/kinds/generated/types';
import {
  Deployments,
  PodDisruptionBudgets,
  Pods,
  ReplicaSets,
  ReplicationControllers,
  StatefulSets,
} from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { compileLabelSelector, matchesLabels } from '@fairway/kube/object/selector';
import type { ControllerContext } from './context.ts';
import { countOf } from './deployment/replica-counts.ts';
import { indexPodsByNamespace, podsIn } from './pod-indexes.ts';
import { isPodFinished, isPodReady } from './pods.ts';

/** A granted eviction that is not observed within this time is considered not to have happened. */
const DISRUPTION_TIMEOUT_MS = 2 * 60_000;

/** Maintains the status of PodDisruptionBudgets, against which evictions are checked (pkg/controller/disruption). */
export function disruptionController(context: ControllerContext): Controller {
  const { client, informers, reader, clock, random, log } = context;
  const budgets = informers.informer(PodDisruptionBudgets);
  const pods = indexPodsByNamespace(informers.informer(Pods));

  async function reconcile(key: string): Promise<Result> {
    const budget = budgets.get(key);
    if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return {};
    const selected = podsIn(pods, budget.metadata.namespace ?? '').filter(
      (pod) => isSelected(budget, pod) && !isPodFinished(pod),
    );
    const status = budgetStatus(budget, selected, reader, clock.now());
    if (!jsonEqual(status, budget.status))
      await client.resource(PodDisruptionBudgets).updateStatus({ ...budget, status });
    const pending = Object.values(status.disruptedPods ?? {}).map(
      (time) => Date.parse(time) + DISRUPTION_TIMEOUT_MS - clock.now(),
    );
    return pending.length === 0 ? {} : { requeueAfterMs: Math.max(0, Math.min(...pending)) + 1 };
  }

  const controller = new Controller({ name: 'disruption', reconcile, clock, random, log });
  return controller.watch(budgets).watch(pods, (pod) =>
    budgets
      .list(pod.metadata.namespace)
      .filter((budget) => isSelected(budget, pod))
      .map(keyOf),
  );
}

function isSelected({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean {
  return spec.selector !== undefined && matchesLabels(compileLabelSelector(spec.selector), metadata.labels ?? {});
}

/** Counts of expected and healthy pods, and of disruptions allowed. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  reader: Pick<ObjectReader, 'get'>,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const { status: old = {}, metadata } = budget;
  const disruptedPods = pendingDisruptions(old.disruptedPods ?? {}, pods, nowMs);
  const isHealthy = (pod: Pod) => pod.metadata.deletionTimestamp === undefined && isPodReady(pod);
  const currentHealthy = pods.filter((pod) => isHealthy(pod) && !((pod.metadata.name ?? '') in disruptedPods)).length;
  const { expectedPods, desiredHealthy } = expectation(budget, pods, reader);
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = metadata.generation ?? 0;
  const isAllowed = disruptionsAllowed > 0;
  const conditions = setCondition(
    old.conditions,
    {
      type: 'DisruptionAllowed',
      status: isAllowed ? 'True' : 'False',
      reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration,
    },
    nowMs,
  );
  return {
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    conditions: [...conditions],
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration,
  };
}

function pendingDisruptions(
  disrupted: Readonly<Record<string, string>>,
  pods: readonly Pod[],
  nowMs: number,
): Record<string, string> {
  const living = new Set(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name ?? ''),
  );
  return Object.fromEntries(
    Object.entries(disrupted).filter(
      ([name, time]) => living.has(name) && Date.parse(time) + DISRUPTION_TIMEOUT_MS > nowMs,
    ),
  );
}

function expectation(
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
  reader: Pick<ObjectReader, 'get'>,
): { expectedPods: number; desiredHealthy: number } {
  if (spec.maxUnavailable !== undefined) {
    const expectedPods = expectedScale(pods, reader);
    return {
      expectedPods,
      desiredHealthy: Math.max(0, expectedPods - countOf(spec.maxUnavailable, expectedPods, 'up')),
    };
  }
  if (typeof spec.minAvailable === 'string') {
    const expectedPods = expectedScale(pods, reader);
    return { expectedPods, desiredHealthy: countOf(spec.minAvailable, expectedPods, 'up') };
  }
  return { expectedPods: pods.length, desiredHealthy: spec.minAvailable ?? 1 };
}

/** The total number of replicas across the pods' controllers; a pod without a controller counts as one. */
function expectedScale(pods: readonly Pod[], reader: Pick<ObjectReader, 'get'>): number {
  const scales = new Map<string, number>();
  let unmanaged = 0;
  for (const pod of pods) {
    const scale = scaleOf(pod, reader);
    if (scale === undefined) unmanaged++;
    else scales.set(scale.uid, scale.replicas);
  }
  return unmanaged + [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

interface ScalableObject extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

const SCALABLE_KINDS: readonly ResourceType<ScalableObject>[] = [ReplicaSets, StatefulSets, ReplicationControllers];

function scaleOf(pod: Pod, reader: Pick<ObjectReader, 'get'>): { uid: string; replicas: number } | undefined {
  const reference = controllerOf(pod);
  const namespace = pod.metadata.namespace ?? '';
  const type = SCALABLE_KINDS.find(
    ({ kind, group }) => kind === reference?.kind && group === groupOf(reference.apiVersion),
  );
  if (reference === undefined || type === undefined) return undefined;
  const owner = reader.get(type, namespace, reference.name);
  if (owner?.metadata.uid !== reference.uid) return undefined;
  const above = controllerOf(owner);
  const deployment = above?.kind === Deployments.kind ? reader.get(Deployments, namespace, above.name) : undefined;
  if (above && deployment?.metadata.uid === above.uid) {
    return { uid: above.uid, replicas: deployment.spec.replicas ?? 1 };
  }
  return { uid: reference.uid, replicas: owner.spec.replicas ?? 1 };
}
