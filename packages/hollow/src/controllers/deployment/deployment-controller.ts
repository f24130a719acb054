import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { controllerKeys, controllerOf } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { Deployment, DeploymentStatus, ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { Deployments, Pods, ReplicaSets } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { isPodFinished } from '../pods.ts';
import { claimChildren, indexChildren, isSelectedBy } from '../workloads/claim-children.ts';
import {
  countStatus,
  deadlineMs,
  deploymentCondition,
  hasDeadline,
  isComplete,
  progressStatus,
  type Rollout,
  withCondition,
} from './deployment-status.ts';
import { desiredNewReplicas, proportionalSizes, replicasOf, rolloutLimits, sumStatus } from './replica-counts.ts';
import { ReplicaSetWriter } from './replica-set-writer.ts';
import {
  byAge,
  byRevision,
  DESIRED_REPLICAS_ANNOTATION,
  findNewSet,
  nextRevision,
  REVISION_ANNOTATION,
} from './revisions.ts';

const CONCURRENCY = 5;

/** Rolls out templates by scaling ReplicaSets up and down (pkg/controller/deployment). */
export function deploymentController(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const deployments = informers.informer(Deployments);
  const sets = indexChildren(informers.informer(ReplicaSets));
  const pods = indexChildren(informers.informer(Pods));
  const writer = new ReplicaSetWriter(client, context.events('deployment-controller'));
  const children = {
    informer: sets,
    children: client.resource(ReplicaSets),
    owners: client.resource(Deployments),
    ownerType: Deployments,
  };

  async function reconcile(key: string): Promise<Result> {
    const cached = deployments.get(key);
    if (cached === undefined) return {};
    const claimed = await claimChildren(cached, cached.spec.selector, children);
    if (cached.metadata.deletionTimestamp !== undefined) {
      return writeStatus(cached, countStatus(rolloutOf(cached, claimed), clock.now()));
    }
    const deployment = await recordPause(cached);
    const isScaling = claimed.some(
      (set) => (set.spec.replicas ?? 0) > 0 && hasDifferentSize(set, deployment.spec.replicas ?? 1),
    );
    if (deployment.spec.paused || isScaling) return scaleOnly(deployment, claimed);
    if (deployment.spec.strategy?.type === 'Recreate') return recreate(deployment, claimed);
    return rollingUpdate(deployment, claimed);
  }

  /** A paused rollout does not time out: the condition records the pause and the resume time. */
  async function recordPause(deployment: Deployment): Promise<Deployment> {
    const progressing = deploymentCondition(deployment, 'Progressing');
    if (!hasDeadline(deployment) || progressing?.reason === 'ProgressDeadlineExceeded') return deployment;
    const isRecorded = progressing?.reason === 'DeploymentPaused';
    if (Boolean(deployment.spec.paused) === isRecorded) return deployment;
    const words = deployment.spec.paused
      ? (['DeploymentPaused', 'Deployment is paused'] as const)
      : (['DeploymentResumed', 'Deployment is resumed'] as const);
    const conditions = withCondition(deployment.status?.conditions ?? [], 'Progressing', 'Unknown', words, clock.now());
    return client.resource(Deployments).updateStatus({ ...deployment, status: { ...deployment.status, conditions } });
  }

  /** Without a rollout, only scales: proportionally if several ReplicaSets are active. */
  async function scaleOnly(deployment: Deployment, claimed: readonly ReplicaSet[]): Promise<Result> {
    const rollout = rolloutOf(deployment, claimed);
    const { newest, old } = rollout;
    const { replicas = 1, strategy } = deployment.spec;
    const all = newest ? [...old, newest] : [...old];
    const active = all.filter((set) => (set.spec.replicas ?? 0) > 0);
    const onlySet = active.length > 1 ? undefined : (active[0] ?? newest ?? old.at(-1));
    const sizes = new Map<string, number>();
    if (onlySet) sizes.set(uidOf(onlySet), replicas);
    else if (isSaturated(deployment, newest)) for (const set of old) sizes.set(uidOf(set), 0);
    else if (strategy?.type === 'RollingUpdate') {
      for (const [uid, size] of proportionalSizes(deployment, active)) sizes.set(uid, size);
    }
    const written = new Map<string, ReplicaSet>();
    for (const set of all) {
      const size = sizes.get(uidOf(set));
      if (size !== undefined) written.set(uidOf(set), await writer.scale(deployment, set, size));
    }
    const latest = all.map((set) => written.get(uidOf(set)) ?? set);
    return writeStatus(deployment, countStatus(rolloutOf(deployment, latest), clock.now()));
  }

  async function recreate(deployment: Deployment, claimed: readonly ReplicaSet[]): Promise<Result> {
    const { newest, old } = rolloutOf(deployment, claimed);
    const active = old.filter((set) => (set.spec.replicas ?? 0) > 0);
    const scaled = await Promise.all(active.map((set) => writer.scale(deployment, set, 0)));
    if (scaled.length > 0) return finish(deployment, newest, merge(old, scaled));
    const isOldRunning = old.some((set) =>
      pods.byIndex('controller-uid', uidOf(set)).some((pod) => !isPodFinished(pod)),
    );
    if (isOldRunning) return finish(deployment, newest, old);
    const ensured = await ensureNewReplicaSet(deployment, newest, old);
    if (ensured === undefined) return {};
    const scaledSet = await writer.scale(ensured.deployment, ensured.set, deployment.spec.replicas ?? 1);
    return finish(ensured.deployment, scaledSet, old);
  }

  async function rollingUpdate(deployment: Deployment, claimed: readonly ReplicaSet[]): Promise<Result> {
    const { newest, old } = rolloutOf(deployment, claimed);
    const ensured = await ensureNewReplicaSet(deployment, newest, old);
    if (ensured === undefined) return {};
    const { deployment: current, set } = ensured;
    const desired = desiredNewReplicas(current, [...old, set], set);
    const replicas = current.spec.replicas ?? 1;
    const size = (set.spec.replicas ?? 0) > replicas ? replicas : desired;
    const scaledSet = await writer.scale(current, set, size);
    if ((scaledSet.spec.replicas ?? 0) !== (set.spec.replicas ?? 0)) return finish(current, scaledSet, old);
    return finish(current, scaledSet, await scaleDownOld(current, scaledSet, old));
  }

  /**
   * Scales down old ReplicaSets while enough replicas stay available: unhealthy replicas first, then the oldest sets.
   */
  async function scaleDownOld(
    deployment: Deployment,
    newest: ReplicaSet,
    old: readonly ReplicaSet[],
  ): Promise<readonly ReplicaSet[]> {
    if (replicasOf(old) === 0) return old;
    const { maxUnavailable } = rolloutLimits(deployment);
    const minAvailable = (deployment.spec.replicas ?? 1) - maxUnavailable;
    const newUnavailable = (newest.spec.replicas ?? 0) - (newest.status?.availableReplicas ?? 0);
    let removable = replicasOf(old) + (newest.spec.replicas ?? 0) - minAvailable - newUnavailable;
    if (removable <= 0) return old;
    const sizes = new Map(old.map((set) => [uidOf(set), set.spec.replicas ?? 0]));
    for (const set of old) {
      const size = sizes.get(uidOf(set)) ?? 0;
      const broken = Math.min(removable, Math.max(0, size - (set.status?.availableReplicas ?? 0)));
      sizes.set(uidOf(set), size - broken);
      removable -= broken;
    }
    let spare = sumStatus([...old, newest], 'availableReplicas') - minAvailable;
    for (const set of old) {
      const size = sizes.get(uidOf(set)) ?? 0;
      const taken = Math.min(Math.max(spare, 0), size);
      sizes.set(uidOf(set), size - taken);
      spare -= taken;
    }
    return Promise.all(
      old.map(async (set) => {
        const size = sizes.get(uidOf(set)) ?? 0;
        return size === (set.spec.replicas ?? 0) ? set : writer.scale(deployment, set, size);
      }),
    );
  }

  /** The ReplicaSet of the current template, created if missing; undefined if another sync is needed first. */
  async function ensureNewReplicaSet(
    deployment: Deployment,
    newest: ReplicaSet | undefined,
    old: readonly ReplicaSet[],
  ): Promise<{ deployment: Deployment; set: ReplicaSet } | undefined> {
    const revision = nextRevision(old);
    const isNew = newest === undefined;
    const set = newest
      ? await writer.refresh(deployment, newest, revision)
      : await writer.create(deployment, old, revision);
    if (set === undefined) {
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      await client
        .resource(Deployments)
        .updateStatus({ ...deployment, status: { ...deployment.status, collisionCount } });
      return undefined;
    }
    return { deployment: await recordRevision(deployment, set, isNew), set };
  }

  async function recordRevision(deployment: Deployment, set: ReplicaSet, isNew: boolean): Promise<Deployment> {
    const revision = set.metadata.annotations?.[REVISION_ANNOTATION] ?? '';
    let current = deployment;
    if (current.metadata.annotations?.[REVISION_ANNOTATION] !== revision) {
      const annotations = { ...current.metadata.annotations, [REVISION_ANNOTATION]: revision };
      current = await client
        .resource(Deployments)
        .update({ ...current, metadata: { ...current.metadata, annotations } });
    }
    if (!hasDeadline(current) || (!isNew && deploymentCondition(current, 'Progressing'))) return current;
    const name = set.metadata.name ?? '';
    const words = isNew
      ? (['NewReplicaSetCreated', `Created new replica set "${name}"`] as const)
      : (['FoundNewReplicaSet', `Found new replica set "${name}"`] as const);
    const conditions = withCondition(current.status?.conditions ?? [], 'Progressing', 'True', words, clock.now());
    return { ...current, status: { ...current.status, conditions } };
  }

  async function finish(
    deployment: Deployment,
    newest: ReplicaSet | undefined,
    old: readonly ReplicaSet[],
  ): Promise<Result> {
    const status = progressStatus({ deployment, newest, old }, clock.now());
    if (isComplete(deployment, status)) await deleteOldReplicaSets(deployment, old);
    return writeStatus(deployment, status);
  }

  async function deleteOldReplicaSets({ spec }: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    const limit = spec.revisionHistoryLimit;
    if (limit === undefined) return;
    const idle = old.filter(
      ({ metadata, spec, status }) => !metadata.deletionTimestamp && !spec.replicas && !status?.replicas,
    );
    const oldestFirst = [...idle].sort(byRevision);
    for (const set of oldestFirst.slice(0, Math.max(0, oldestFirst.length - limit))) await writer.delete(set);
  }

  async function writeStatus(deployment: Deployment, status: DeploymentStatus): Promise<Result> {
    const stored = deployments.get(keyOf(deployment));
    if (!jsonEqual(status, stored?.status)) await client.resource(Deployments).updateStatus({ ...deployment, status });
    const waitMs = deadlineMs(deployment, status, clock.now());
    const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
    if (waitMs === undefined || progressing?.reason === 'ProgressDeadlineExceeded') return {};
    return { requeueAfterMs: Math.max(waitMs, 1000) };
  }

  const keysOf = controllerKeys(Deployments);
  const setKeys = controllerKeys(ReplicaSets);
  const controller = new Controller({ name: 'deployment', reconcile, clock, random, log, concurrency: CONCURRENCY });
  controller.watch(deployments).watch(sets, (set) => {
    if (controllerOf(set) !== undefined) return keysOf(set);
    return deployments
      .list(set.metadata.namespace)
      .filter(({ spec }) => isSelectedBy(set, spec.selector))
      .map(keyOf);
  });
  // A Recreate rollout waits until the last old pod is deleted.
  pods.addHandler({
    onDelete: (pod) => {
      for (const setKey of setKeys(pod)) {
        const set = sets.get(setKey);
        const keys = set ? keysOf(set) : [];
        for (const key of keys) {
          if (deployments.get(key)?.spec.strategy?.type === 'Recreate') controller.enqueue(key);
        }
      }
    },
  });
  return controller;
}

function rolloutOf(deployment: Deployment, sets: readonly ReplicaSet[]): Rollout {
  const newest = findNewSet(deployment, sets);
  return { deployment, newest, old: sets.filter((set) => set !== newest).sort(byAge) };
}

function hasDifferentSize({ metadata }: ReplicaSet, replicas: number): boolean {
  const recordedSize = metadata.annotations?.[DESIRED_REPLICAS_ANNOTATION];
  return recordedSize !== undefined && Number(recordedSize) !== replicas;
}

/** Whether the newest ReplicaSet has all desired replicas, and all are available. */
function isSaturated({ spec }: Deployment, newest: ReplicaSet | undefined): boolean {
  const { replicas = 1 } = spec;
  const recordedSize = Number(newest?.metadata.annotations?.[DESIRED_REPLICAS_ANNOTATION] ?? Number.NaN);
  return (
    newest?.spec.replicas === replicas &&
    recordedSize === replicas &&
    (newest.status?.availableReplicas ?? 0) === replicas
  );
}

function merge(sets: readonly ReplicaSet[], written: readonly ReplicaSet[]): ReplicaSet[] {
  const byUid = new Map(written.map((set) => [uidOf(set), set]));
  return sets.map((set) => byUid.get(uidOf(set)) ?? set);
}

function uidOf({ metadata }: ReplicaSet): string {
  return metadata.uid ?? '';
}
