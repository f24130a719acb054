import { ConditionReason } from '@fairway/api/conditions';
import { dueUpgrade, releaseOf } from '@fairway/api/domain/end-of-life';
import { forcedUpgradeGate } from '@fairway/api/domain/forced-gate';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { minorOf, partsOf } from '@fairway/api/domain/version-numbers';
import { forcedTarget } from '@fairway/api/domain/versions';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import type { ForcedUpgradeStatus } from '@fairway/api/kinds/forced-upgrade';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';
import type { VersionChoice, VersionFacts } from './version-facts.ts';
import { skewProblem, updatingMessage, waitingForWakeUp, waitingForWindow } from './version-problems.ts';

/**
 * Decides whether a cluster past the end of life of its minor version is upgraded. Once the announced time has passed,
 * returns the next minor version, if slot and maintenance window allow it, or what the cluster is waiting for.
 * Undefined if nothing is due. Pure. Ignores `updatePolicy`, which applies to patches.
 */
export function decideForcedUpgrade(facts: VersionFacts, running: string): VersionChoice | undefined {
  const { cluster, releases, nowMs } = facts;
  const due = dueUpgrade(cluster, releases, nowMs);
  if (due === undefined) return undefined;
  const target = forcedTarget(running, releases, nowMs)?.version;
  if (target === undefined) return { version: running, waiting: noTarget(running, due) };
  const skew = skewProblem(target, facts.nodes());
  if (skew) return { version: running, waiting: skew };
  if (shouldHibernate(cluster)) return { version: running, waiting: waitingForWakeUp(target) };
  const rollout = releaseOf(running, releases)?.status?.forcedUpgrade;
  const hasSlot = rollout?.version === due && rollout.moving.some(({ uid }) => uid === cluster.metadata.uid);
  if (!hasSlot && (rollout?.state === 'Halted' || rollout?.state === 'Paused'))
    return { version: running, waiting: stoppedCondition(running, due, rollout.state) };
  const gate = forcedUpgradeGate(cluster, nowMs);
  if (!gate.isOpen) return { version: running, waiting: waitingForWindow(cluster, target, gate) };
  if (!hasSlot) return { version: running, waiting: waitingForSlot(running, due) };
  const { version: asked } = cluster.spec;
  const isOlder = asked !== undefined && partsOf(asked).minor < partsOf(target).minor;
  const forced = { from: running, to: target, time: formatTime(nowMs), ...(isOlder && { asked }) };
  return { version: target, waiting: updatingMessage(running, target, true), forced };
}

/**
 * `status.forcedUpgrade` of a cluster that should run `version` now: an earlier decision expires when the cluster
 * leaves the minor version that it was upgraded to.
 */
export function nextForcedUpgrade(
  status: ClusterStatus | undefined,
  version: string | undefined,
): ForcedUpgradeStatus | undefined {
  const before = status?.forcedUpgrade;
  if (before === undefined || version === undefined) return before;
  return minorOf(version) === minorOf(before.to) ? before : undefined;
}

function noTarget(running: string, to: string): Problem {
  const message = `Kubernetes ${minorOf(running)} has reached its end of life, and the cluster must be upgraded to ${to}, which is not available at the moment; the operator must make it available`;
  return { reason: ConditionReason.VersionNotOffered, message };
}

function waitingForSlot(running: string, to: string): Problem {
  const message = `Kubernetes ${minorOf(running)} has reached its end of life: clusters are upgraded to ${to} in batches, and this one is queued (set spec.version to ${to} to start now)`;
  return { reason: ConditionReason.WaitingForRollout, message };
}

function stoppedCondition(running: string, to: string, state: RolloutStatus['state']): Problem {
  const why = state === 'Halted' ? 'has stopped after failures' : 'is paused by the operator';
  const message = `Kubernetes ${minorOf(running)} has reached its end of life: the upgrade to ${to} ${why}; the operator must resume it (set spec.version to ${to} to start now)`;
  return { reason: ConditionReason.RolloutHalted, message };
}
