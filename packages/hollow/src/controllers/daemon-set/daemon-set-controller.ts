import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { Expectations } from '@fairway/kube/controller/expectations';
import { CONTROLLER_UID_INDEX, controllerKeys, controllerOf } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { DaemonSet, DaemonSetStatus, Node, Pod } from '@fairway/kube/kinds/generated/types';
import { ControllerRevisions, DaemonSets, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { countOf } from '../deployment/replica-counts.ts';
import { isPodAvailable, isPodFinished, isPodReady, nextAvailableMs } from '../pods.ts';
import { claimChildren, indexChildren, isSelectedBy } from '../workloads/claim-children.ts';
import { PodControl } from '../workloads/pod-control.ts';
import { ensureRevision, hashOfRevision, truncateRevisions } from '../workloads/revisions.ts';
import { daemonPod, HASH_LABEL, nodeShouldRun, targetNode } from './daemon-pod.ts';

interface NodePlan {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/** Runs one pod on every eligible node (pkg/controller/daemon). */
export function daemonSetController(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const sets = informers.informer(DaemonSets);
  const nodes = informers.informer(Nodes);
  const pods = indexChildren(informers.informer(Pods));
  const history = indexChildren(informers.informer(ControllerRevisions));
  const expectations = new Expectations(clock);
  const events = context.events('daemonset-controller');
  const control = new PodControl(client, events, expectations);
  const children = {
    informer: pods,
    children: client.resource(Pods),
    owners: client.resource(DaemonSets),
    ownerType: DaemonSets,
  };
  const ownersOf = controllerKeys(DaemonSets);
  control.observe(pods, ownersOf);

  async function reconcile(key: string): Promise<Result> {
    const set = sets.get(key);
    if (set === undefined) expectations.delete(key);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return {};
    const claimed = await claimChildren(set, set.spec.selector, children);
    const known = history.byIndex(CONTROLLER_UID_INDEX, set.metadata.uid ?? '');
    const revision = await ensureRevision(client, set, DaemonSets, known);
    const hash = hashOfRevision(revision);
    if (expectations.isSatisfied(key)) {
      const { create, remove } = plan(set, claimed, nodes.list(), hash, clock.now());
      for (const pod of remove) if (pod.status?.phase === 'Failed') recordFailed(set, pod);
      if (remove.length > 0) await control.deleteAll(set, remove);
      if (create.length > 0)
        await control.createAll(
          set,
          create.map((node) => daemonPod(set, node, hash)),
        );
    }
    const status = statusOf(set, claimed, nodes.list(), hash, clock.now());
    if (!jsonEqual(status, set.status)) await client.resource(DaemonSets).updateStatus({ ...set, status });
    const hashes = new Set([hash, ...claimed.map(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? '')]);
    const live = known.filter((other) => hashes.has(hashOfRevision(other))).map(({ metadata }) => metadata.name ?? '');
    await truncateRevisions(client, known, new Set(live), set.spec.revisionHistoryLimit ?? 10);
    const waitMs = nextAvailableMs(claimed, set.spec.minReadySeconds ?? 0, clock.now());
    return waitMs === undefined ? {} : { requeueAfterMs: waitMs };
  }

  function recordFailed(set: DaemonSet, { metadata, spec }: Pod): void {
    const message = `Found failed daemon pod ${metadata.namespace}/${metadata.name} on node ${spec.nodeName}, will try to kill it`;
    events.warning(set, 'FailedDaemonPod', message);
  }

  const controller = new Controller({ name: 'daemonset', reconcile, clock, random, log, concurrency: 2 });
  controller.watch(sets).watch(pods, (pod) => {
    if (controllerOf(pod) !== undefined) return ownersOf(pod);
    return sets
      .list(pod.metadata.namespace)
      .filter(({ spec }) => isSelectedBy(pod, spec.selector))
      .map(keyOf);
  });
  return controller.watch(nodes, () => sets.list().map(keyOf), {
    isRelevant: (old, node) => !jsonEqual(old.spec, node.spec) || !jsonEqual(old.metadata.labels, node.metadata.labels),
  });
}

/** Pods to create and delete: missing and misplaced daemon pods first, then a rolling update within its limits. */
export function plan(
  set: DaemonSet,
  pods: readonly Pod[],
  nodes: readonly Node[],
  hash: string,
  nowMs: number,
): NodePlan {
  const byNode = Map.groupBy(pods, (pod) => targetNode(pod) ?? '');
  const create: string[] = [];
  const remove: Pod[] = [];
  const outdated: Pod[] = [];
  let unavailable = 0;
  let desiredPods = 0;
  for (const node of nodes) {
    const name = node.metadata.name ?? '';
    const { start, keep } = nodeShouldRun(set, node);
    const own = byNode.get(name) ?? [];
    byNode.delete(name);
    const living = own.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (!keep) {
      remove.push(...living);
      continue;
    }
    if (start) desiredPods++;
    const failed = living.filter(({ status }) => status?.phase === 'Failed');
    const healthyPods = living.filter((pod) => !failed.includes(pod)).sort(byCreation);
    remove.push(...failed, ...healthyPods.slice(1));
    const [daemon] = healthyPods;
    if (daemon === undefined) {
      if (start) unavailable++;
      // A terminating pod still occupies its node.
      if (start && own.length === 0) create.push(name);
      continue;
    }
    const isAvailable = isPodAvailable(daemon, set.spec.minReadySeconds ?? 0, nowMs);
    if (!isAvailable) unavailable++;
    if (daemon.metadata.labels?.[HASH_LABEL] === hash) continue;
    if (isAvailable) outdated.push(daemon);
    // An outdated pod that is not available is replaced regardless of maxUnavailable.
    else if (set.spec.updateStrategy?.type === 'RollingUpdate') remove.push(daemon);
  }
  // Pods bound to deleted nodes are left to pod garbage collection; pending ones are deleted here.
  for (const pod of [...byNode.values()].flat()) if (!pod.spec.nodeName && !isPodFinished(pod)) remove.push(pod);
  return { create, remove: [...remove, ...outdated.slice(0, remainingUnavailable(set, desiredPods, unavailable))] };
}

function remainingUnavailable({ spec }: DaemonSet, desiredPods: number, unavailable: number): number {
  if (spec.updateStrategy?.type !== 'RollingUpdate') return 0;
  const { maxUnavailable, maxSurge } = spec.updateStrategy.rollingUpdate ?? {};
  // A node runs one daemon pod at a time here, so maxSurge is treated as maxUnavailable of the same size.
  const limit = Math.max(countOf(maxUnavailable, desiredPods, 'up'), countOf(maxSurge, desiredPods, 'up'), 1);
  return Math.max(0, limit - unavailable);
}

function byCreation(left: Pod, right: Pod): number {
  if (Boolean(left.spec.nodeName) !== Boolean(right.spec.nodeName)) return left.spec.nodeName ? -1 : 1;
  return Date.parse(left.metadata.creationTimestamp ?? '') - Date.parse(right.metadata.creationTimestamp ?? '');
}

function statusOf(
  set: DaemonSet,
  pods: readonly Pod[],
  nodes: readonly Node[],
  hash: string,
  nowMs: number,
): DaemonSetStatus {
  const { minReadySeconds = 0 } = set.spec;
  const byNode = Map.groupBy(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    (pod) => targetNode(pod) ?? '',
  );
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const own = byNode.get(node.metadata.name ?? '') ?? [];
    if (!nodeShouldRun(set, node).start) {
      if (own.length > 0) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    const [daemon] = [...own].sort(byCreation);
    if (daemon === undefined) continue;
    counts.current++;
    if (isPodReady(daemon)) counts.ready++;
    if (isPodAvailable(daemon, minReadySeconds, nowMs)) counts.available++;
    if (daemon.metadata.labels?.[HASH_LABEL] === hash) counts.updated++;
  }
  const unavailable = counts.desired - counts.available;
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    ...(counts.updated > 0 && { updatedNumberScheduled: counts.updated }),
    ...(counts.available > 0 && { numberAvailable: counts.available }),
    ...(unavailable > 0 && { numberUnavailable: unavailable }),
  };
}
