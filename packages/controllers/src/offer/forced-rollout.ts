import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { dueUpgrade, plannedUpgradeMs } from '@fairway/api/domain/end-of-life';
import { forcedUpgradeGate } from '@fairway/api/domain/forced-gate';
import { requestValueOf } from '@fairway/api/domain/request';
import { minorOf, nextMinor } from '@fairway/api/domain/version-numbers';
import { forcedTarget } from '@fairway/api/domain/versions';
import { RETRY_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { findCondition } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import { nextRollout, rolloutSettings } from './rollout.ts';

export interface ForcedRolloutFacts {
  readonly release: KubernetesRelease;
  /** The whole catalogue. */
  readonly releases: readonly KubernetesRelease[];
  /** The clusters that use the release. */
  readonly users: readonly Cluster[];
  /** Clusters that were upgraded from it to the next minor version automatically, by `status.forcedUpgrade`. */
  readonly forced: readonly Cluster[];
  /** When Fairway began to watch the rollout. */
  readonly watchedSinceMs: number;
  readonly nowMs: number;
}

/**
 * `status.forcedUpgrade` of a release: a rollout of the next minor version to the clusters that have been notified and
 * whose time has passed. Undefined if there are none. Pure. Clusters that wait for their nodes do not delay others,
 * because any tenant can have such nodes.
 */
export function nextForcedRollout(facts: ForcedRolloutFacts): RolloutStatus | undefined {
  const { release, releases, watchedSinceMs, nowMs } = facts;
  const followers = forcedFollowers(facts);
  if (followers.length === 0) return undefined;
  const hasTarget = forcedTarget(release.spec.minor, releases, nowMs) !== undefined;
  return nextRollout({
    settings: rolloutSettings(release),
    target: nextMinor(release.spec.minor),
    followers,
    gateOf: forcedUpgradeGate,
    isHeldUp: (cluster) => !hasTarget || areNodesTooOld(cluster),
    previous: release.status?.forcedUpgrade,
    retryRequested: requestValueOf(release, RETRY_ANNOTATION),
    watchedSinceMs,
    nowMs,
  });
}

/** Clusters that will be upgraded automatically, or have been. */
export function forcedFollowers({ release, releases, users, forced, nowMs }: ForcedRolloutFacts): readonly Cluster[] {
  const { minor } = release.spec;
  const isDue = (cluster: Cluster) => isRunning(cluster, minor) && dueUpgrade(cluster, releases, nowMs) !== undefined;
  const all = [...users.filter(isDue), ...forced].filter((cluster) => !isBeingDeleted(cluster));
  return [...new Map(all.map((cluster) => [cluster.metadata.uid, cluster])).values()];
}

/** When the next cluster becomes due; undefined if none has been notified. */
export function nextPlannedMs(users: readonly Cluster[], minor: string, nowMs: number): number | undefined {
  const times = users
    .filter((cluster) => isRunning(cluster, minor))
    .flatMap((cluster) => plannedUpgradeMs(cluster, nowMs) ?? []);
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

function isRunning({ status }: Cluster, minor: string): boolean {
  return status?.version !== undefined && minorOf(status.version) === minor;
}

/** Whether the cluster's nodes are too old, according to its own condition, which checks each node. */
function areNodesTooOld({ status }: Cluster): boolean {
  return findCondition(status?.conditions, ConditionType.UpToDate)?.reason === ConditionReason.NodesTooOld;
}
