import { formatTime } from '@fairway/base/clock';
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from '@fairway/kube/kinds/generated/types';
import { replicasOf, rolloutLimits, sumStatus } from './replica-counts.ts';

/** The progressDeadlineSeconds that means no deadline. */
const NO_DEADLINE = 2 ** 31 - 1;

export function deploymentCondition({ status }: Deployment, type: string): DeploymentCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The list with the condition set; lastTransitionTime changes with the status, lastUpdateTime with any field. */
export function withCondition(
  conditions: readonly DeploymentCondition[],
  type: string,
  status: 'True' | 'False' | 'Unknown',
  [reason, message]: readonly [string, string],
  nowMs: number,
): DeploymentCondition[] {
  const old = conditions.find((condition) => condition.type === type);
  if (old?.status === status && old.reason === reason) return [...conditions];
  const now = formatTime(nowMs);
  const lastTransitionTime = (old?.status === status ? old.lastTransitionTime : undefined) ?? now;
  const next = { type, status, reason, message, lastUpdateTime: now, lastTransitionTime };
  return [...conditions.filter((condition) => condition.type !== type), next];
}

export interface Rollout {
  readonly deployment: Deployment;
  readonly newest: ReplicaSet | undefined;
  /** All other ReplicaSets, oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** The status computed from the ReplicaSets (upstream's calculateStatus); conditions are carried over. */
export function countStatus({ deployment, newest, old }: Rollout, nowMs: number): DeploymentStatus {
  const all = newest ? [...old, newest] : old;
  const replicas = sumStatus(all, 'replicas');
  const available = sumStatus(all, 'availableReplicas');
  const ready = sumStatus(all, 'readyReplicas');
  const updated = newest?.status?.replicas ?? 0;
  const unavailable = Math.max(replicasOf(all) - available, 0);
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const desired = deployment.spec.replicas ?? 1;
  const isAvailable = available >= desired - rolloutLimits(deployment).maxUnavailable;
  const words = isAvailable
    ? (['MinimumReplicasAvailable', 'Deployment has minimum availability.'] as const)
    : (['MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'] as const);
  return {
    ...(deployment.metadata.generation !== undefined && { observedGeneration: deployment.metadata.generation }),
    ...(replicas > 0 && { replicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(unavailable > 0 && { unavailableReplicas: unavailable }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withCondition(conditions, 'Available', isAvailable ? 'True' : 'False', words, nowMs),
  };
}

export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  const desired = spec.replicas ?? 1;
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

function hasProgressed({ status: old = {} }: Deployment, status: DeploymentStatus): boolean {
  const oldReplicas = (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  const previousOldReplicas = (old.replicas ?? 0) - (old.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    oldReplicas < previousOldReplicas ||
    (status.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  );
}

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

/** Milliseconds until the rollout times out; negative if it has, undefined without a deadline or a rollout. */
export function deadlineMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  if (!hasDeadline(deployment) || progressing === undefined) return undefined;
  if (progressing.reason === 'NewReplicaSetAvailable' || progressing.reason === 'DeploymentPaused') return undefined;
  const sinceMs = Date.parse(progressing.lastUpdateTime ?? '');
  return sinceMs + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000 - nowMs;
}

/** The status with Progressing and ReplicaFailure, as upstream's syncRolloutStatus sets them. */
export function progressStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment, newest, old } = rollout;
  const status = countStatus(rollout, nowMs);
  let conditions = status.conditions ?? [];
  const progressing = conditions.find(({ type }) => type === 'Progressing');
  const isDone =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progressing?.reason === 'NewReplicaSetAvailable';
  const name = newest ? `ReplicaSet "${newest.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (hasDeadline(deployment) && !isDone) {
    if (isComplete(deployment, status)) {
      const words = ['NewReplicaSetAvailable', `${name} has successfully progressed.`] as const;
      conditions = withCondition(conditions, 'Progressing', 'True', words, nowMs);
    } else if (hasProgressed(deployment, status)) {
      const words = ['ReplicaSetUpdated', `${name} is progressing.`] as const;
      // lastUpdateTime marks the last progress, even if the message is the same.
      const kept = progressing?.status === 'True' ? progressing.lastTransitionTime : undefined;
      conditions = withCondition(
        conditions.filter(({ type }) => type !== 'Progressing'),
        'Progressing',
        'True',
        words,
        nowMs,
      );
      const set = conditions.find(({ type }) => type === 'Progressing');
      if (set && kept) set.lastTransitionTime = kept;
    } else if ((deadlineMs(deployment, status, nowMs) ?? 1) <= 0) {
      const words = ['ProgressDeadlineExceeded', `${name} has timed out progressing.`] as const;
      conditions = withCondition(conditions, 'Progressing', 'False', words, nowMs);
    }
  }
  const all = newest ? [newest, ...old] : old;
  const failure = all.flatMap((set) => set.status?.conditions ?? []).find(({ type }) => type === 'ReplicaFailure');
  conditions = failure
    ? withCondition(conditions, 'ReplicaFailure', 'True', [failure.reason ?? '', failure.message ?? ''], nowMs)
    : conditions.filter(({ type }) => type !== 'ReplicaFailure');
  return { ...status, conditions };
}
