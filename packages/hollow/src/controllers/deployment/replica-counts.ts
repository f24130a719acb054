import type { Deployment, IntOrString, ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { DESIRED_REPLICAS_ANNOTATION, MAX_REPLICAS_ANNOTATION } from './revisions.ts';

/** A count, or a percentage of `total` rounded as requested. */
export function countOf(value: IntOrString | undefined, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const exact = (Number.parseInt(value, 10) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

export interface RolloutLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * Resolves maxSurge and maxUnavailable; if both are zero, maxUnavailable becomes 1 so that the rollout can progress.
 */
export function rolloutLimits({ spec }: Deployment): RolloutLimits {
  const { replicas = 1, strategy } = spec;
  if (strategy?.type !== 'RollingUpdate' || replicas === 0) return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = countOf(strategy.rollingUpdate?.maxSurge, replicas, 'up');
  const maxUnavailable = countOf(strategy.rollingUpdate?.maxUnavailable, replicas, 'down');
  if (maxSurge === 0 && maxUnavailable === 0) return { maxSurge, maxUnavailable: 1 };
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}

export function replicasOf(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
}

export function sumStatus(
  sets: readonly ReplicaSet[],
  field: 'replicas' | 'readyReplicas' | 'availableReplicas',
): number {
  return sets.reduce((sum, { status }) => sum + (status?.[field] ?? 0), 0);
}

/** The size of the newest ReplicaSet during a rolling update: all desired replicas, within maxSurge. */
export function desiredNewReplicas(deployment: Deployment, all: readonly ReplicaSet[], newest: ReplicaSet): number {
  const { replicas = 1, strategy } = deployment.spec;
  if (strategy?.type !== 'RollingUpdate') return replicas;
  const room = replicas + rolloutLimits(deployment).maxSurge - replicasOf(all);
  const current = newest.spec.replicas ?? 0;
  if (room <= 0) return current;
  return current + Math.min(room, replicas - current);
}

/**
 * Scales the ReplicaSets of a Deployment proportionally when it is scaled during a rollout; the rounding remainder goes
 * to the largest ReplicaSet (upstream's `scale` and GetProportion). Returns new sizes by uid.
 */
export function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): Map<string, number> {
  const { replicas = 1 } = deployment.spec;
  const { maxSurge } = rolloutLimits(deployment);
  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const total = replicasOf(active);
  const toAdd = allowed - total;
  const youngestFirst = (left: ReplicaSet, right: ReplicaSet) =>
    (right.metadata.creationTimestamp ?? '') < (left.metadata.creationTimestamp ?? '') ? -1 : 1;
  const ordered = [...active].sort((left, right) => {
    const difference = (right.spec.replicas ?? 0) - (left.spec.replicas ?? 0);
    if (difference !== 0) return difference;
    return toAdd > 0 ? youngestFirst(left, right) : youngestFirst(right, left);
  });
  const sizes = new Map<string, number>();
  let added = 0;
  for (const set of ordered) {
    const own = set.spec.replicas ?? 0;
    const share = toAdd === 0 ? 0 : clampShare(shareOf(set, deployment, allowed), toAdd - added);
    added += share;
    sizes.set(set.metadata.uid ?? '', own + share);
  }
  const largest = ordered[0]?.metadata.uid ?? '';
  if (ordered.length > 0) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  return sizes;
}

function shareOf(set: ReplicaSet, { spec }: Deployment, allowed: number): number {
  const own = set.spec.replicas ?? 0;
  if (spec.replicas === 0) return -own;
  const annotations = set.metadata.annotations ?? {};
  const before =
    Number(annotations[MAX_REPLICAS_ANNOTATION] ?? annotations[DESIRED_REPLICAS_ANNOTATION] ?? 0) ||
    (spec.replicas ?? 1);
  return Math.round((own * allowed) / before) - own;
}

function clampShare(share: number, left: number): number {
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}
