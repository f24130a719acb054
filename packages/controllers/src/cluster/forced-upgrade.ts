import { ConditionReason } from '@fairway/api/conditions';
import { dueUpgrade, releaseOf } from '@fairway/api/domain/end-of-life';
import { forcedUpgradeGate } from '@fairway/api/domain/forced-gate';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { minorOf, partsOf } from '@fairway/api/domain/version-numbers';
import { forcedTarget } from '@fairway/api/domain/versions';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import type { ForcedUpgradeStatus } from '@fairway/api/kinds/forced-upgrade';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';
import type { VersionChoice, VersionFacts } from './version-facts.ts';
import { skewProblem, untilAwake, untilWindow, updating } from './version-problems.ts';

/**
 * What becomes of a cluster whose minor version has ended, when the time has come that it was told of: the next minor version, in its turn and its window; or
 * what it waits for. Undefined: nothing is due. Pure. `updatePolicy` is not asked: it is about patches.
 */
export function forceUpgrade(facts: VersionFacts, running: string): VersionChoice | undefined {
  const { cluster, releases, nowMs } = facts;
  const due = dueUpgrade(cluster, releases, nowMs);
  if (due === undefined) return undefined;
  const target = forcedTarget(running, releases, nowMs)?.version;
  if (target === undefined) return { version: running, waiting: noTarget(running, due) };
  const tooOld = skewProblem(target, facts.nodes());
  if (tooOld) return { version: running, waiting: tooOld };
  if (isHibernationWanted(cluster)) return { version: running, waiting: untilAwake(target) };
  const rollout = releaseOf(running, releases)?.status?.forcedUpgrade;
  const isTurn = rollout?.version === due && rollout.moving.some(({ uid }) => uid === cluster.metadata.uid);
  if (!isTurn && (rollout?.state === 'Halted' || rollout?.state === 'Paused'))
    return { version: running, waiting: stopped(running, due, rollout.state) };
  const gate = forcedUpgradeGate(cluster, nowMs);
  if (!gate.isOpen) return { version: running, waiting: untilWindow(cluster, target, gate) };
  if (!isTurn) return { version: running, waiting: inLine(running, due) };
  const { version: asked } = cluster.spec;
  const isOlder = asked !== undefined && partsOf(asked).minor < partsOf(target).minor;
  const forced = { from: running, to: target, time: formatTime(nowMs), ...(isOlder && { asked }) };
  return { version: target, waiting: updating(running, target, true), forced };
}

/** `status.forcedUpgrade` of a cluster that is to run `version` now: what was decided on earlier is over when it leaves the minor version that it was brought to. */
export function forcedUpgradeAfter(
  status: ClusterStatus | undefined,
  version: string | undefined,
): ForcedUpgradeStatus | undefined {
  const before = status?.forcedUpgrade;
  if (before === undefined || version === undefined) return before;
  return minorOf(version) === minorOf(before.to) ? before : undefined;
}

function noTarget(running: string, to: string): Problem {
  const message = `Kubernetes ${minorOf(running)} has ended, and the cluster is to be upgraded to ${to}, of which nothing can be had at the moment; the operator decides how it goes on`;
  return { reason: ConditionReason.VersionNotOffered, message };
}

function inLine(running: string, to: string): Problem {
  const message = `Kubernetes ${minorOf(running)} has ended: the upgrade to ${to} reaches a share of the clusters at a time, and this one waits for its turn (set spec.version to ${to} to begin now)`;
  return { reason: ConditionReason.WaitingForRollout, message };
}

function stopped(running: string, to: string, state: RolloutStatus['state']): Problem {
  const why = state === 'Halted' ? 'has stopped after failures' : 'is paused by the operator';
  const message = `Kubernetes ${minorOf(running)} has ended: the upgrade to ${to} ${why}; the operator decides how it goes on (set spec.version to ${to} to begin now)`;
  return { reason: ConditionReason.RolloutHalted, message };
}
