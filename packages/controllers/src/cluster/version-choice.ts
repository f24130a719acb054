import { ConditionReason } from '@fairway/api/conditions';
import { requestedVersion } from '@fairway/api/domain/forced-upgrade';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { maintenanceGate, specChangeGate } from '@fairway/api/domain/maintenance-gate';
import { type OfferedVersion, offeredVersions } from '@fairway/api/domain/offered-versions';
import { isBeingWiped } from '@fairway/api/domain/reset';
import { acceptsPatches, followedMinor } from '@fairway/api/domain/update-policy';
import { compareVersions, isMinor, minorOf } from '@fairway/api/domain/version-numbers';
import { newestPatch, resolveUpgrade, resolveVersion, upgradeProblem } from '@fairway/api/domain/versions';
import type { Problem } from '@fairway/tenancy/problem';
import { decideForcedUpgrade, nextForcedUpgrade } from './forced-upgrade.ts';
import type { VersionChoice, VersionFacts } from './version-facts.ts';
import {
  notOffered,
  skewProblem,
  stopped,
  updatingMessage,
  userMustUpgradeMessage,
  waitingForSlot,
  waitingForWakeUp,
  waitingForWindow,
} from './version-problems.ts';

/**
 * The exact version that a cluster's control plane should run now. Pure and level-triggered: an earlier decision
 * (`status.desiredVersion`) is kept unless something rules it out. This way, nothing is reverted if a patch appears
 * during a start or a rollout stops.
 */
export function chooseVersion(facts: VersionFacts): VersionChoice {
  const choice = chooseSupportedVersion(facts);
  return { ...choice, forced: choice.forced ?? nextForcedUpgrade(facts.cluster.status, choice.version) };
}

function chooseSupportedVersion(facts: VersionFacts): VersionChoice {
  const { version: running, desiredVersion: decided } = facts.cluster.status ?? {};
  const kept = decided ?? running;
  // Nodes from before a reset do not affect the control plane.
  if (isBeingWiped(facts.cluster) && kept !== undefined) return { version: kept, waiting: RESETTING };
  const awake = chooseVersionIfAwake(facts);
  if (running === undefined || !shouldHibernate(facts.cluster)) return awake;
  // A change that has started is completed, so that the nodes are drained with a working control plane.
  return awake.version === kept ? awake : { version: kept, waiting: waitingForWakeUp(awake.version ?? running) };
}

const RESETTING: Problem = { reason: ConditionReason.Resetting, message: 'the cluster is being reset' };

function chooseVersionIfAwake(facts: VersionFacts): VersionChoice {
  const { cluster, releases, nowMs } = facts;
  const requested = requestedVersion(cluster);
  const { version: running, desiredVersion: decided } = cluster.status ?? {};
  const offered = offeredVersions(releases, nowMs);
  if (running === undefined) {
    if (decided !== undefined && isMatching(decided, requested) && isUsable(decided, offered)) return chosen(decided);
    const resolved = resolveVersion(requested, releases, nowMs);
    return resolved.ok ? chosen(resolved.version.version) : { version: undefined, waiting: notOffered(resolved) };
  }
  if (decided !== undefined && hasStarted(decided, running, requested) && isUsable(decided, offered)) {
    return {
      version: decided,
      waiting: updatingMessage(running, decided, cluster.status?.forcedUpgrade?.to === decided),
    };
  }
  const requestedChoice = chooseRequestedVersion(facts, { running, requested, offered });
  // If this choice moves the cluster off its minor version, nothing else needs to be decided.
  if (requestedChoice.version !== undefined && minorOf(requestedChoice.version) !== minorOf(running))
    return requestedChoice;
  const forced = decideForcedUpgrade(facts, running);
  if (forced === undefined) return requestedChoice;
  // Patches of the current minor version continue until the forced upgrade starts.
  return forced.version === running && requestedChoice.version !== running ? requestedChoice : forced;
}

function chooseRequestedVersion(
  facts: VersionFacts,
  {
    running,
    requested,
    offered,
  }: {
    readonly running: string;
    readonly requested: string | undefined;
    readonly offered: readonly OfferedVersion[];
  },
): VersionChoice {
  const { cluster, releases, nowMs } = facts;
  const decided = cluster.status?.desiredVersion;
  if (followedMinor(cluster) !== undefined) return followPatches(facts, running, offered);
  const resolved = resolveUpgrade(requested, running, releases, nowMs);
  if (!resolved.ok) return { version: running, waiting: notOffered(resolved) };
  const isDecided =
    decided !== undefined &&
    requested !== undefined &&
    isMinor(requested) &&
    minorOf(decided) === requested &&
    isUsable(decided, offered);
  const target = isDecided ? decided : resolved.version.version;
  const tooOld = minorOf(target) === minorOf(running) ? undefined : skewProblem(target, facts.nodes());
  if (tooOld) return { version: running, waiting: tooOld };
  const gate = specChangeGate(cluster, nowMs);
  if (!gate.isOpen && target !== running && target !== decided)
    return { version: running, waiting: waitingForWindow(cluster, target, gate) };
  return { version: target, waiting: updatingMessage(running, target) };
}

function followPatches(
  { cluster, releases, isSeamless, nowMs }: VersionFacts,
  running: string,
  offered: readonly OfferedVersion[],
): VersionChoice {
  const decided = cluster.status?.desiredVersion;
  if (decided !== undefined && isNewerPatch(decided, running) && isUsable(decided, offered)) {
    return { version: decided, waiting: updatingMessage(running, decided) };
  }
  const next = newestPatch(running, offered)?.version;
  if (next === undefined) return chosen(running);
  if (!acceptsPatches(cluster, isSeamless)) return { version: running, waiting: userMustUpgradeMessage(cluster, next) };
  const rollout = releases.find(({ spec }) => spec.minor === minorOf(running))?.status?.rollout;
  const hasSlot = rollout?.version === next && rollout.moving.some(({ uid }) => uid === cluster.metadata.uid);
  const isStopped = rollout?.version === next && (rollout.state === 'Halted' || rollout.state === 'Paused');
  if (isStopped && !hasSlot) return { version: running, waiting: stopped(next, rollout.state) };
  const gate = maintenanceGate(cluster, nowMs);
  if (!gate.isOpen) return { version: running, waiting: waitingForWindow(cluster, next, gate) };
  return hasSlot
    ? { version: next, waiting: updatingMessage(running, next) }
    : { version: running, waiting: waitingForSlot(next) };
}

function chosen(version: string): VersionChoice {
  return { version, waiting: undefined };
}

function isMatching(version: string, requested: string | undefined): boolean {
  return requested === undefined || requested === version || requested === minorOf(version);
}

function isUsable(version: string, offered: readonly OfferedVersion[]): boolean {
  return offered.some((candidate) => candidate.version === version && candidate.problem === undefined);
}

/** An upgrade to the next minor version is not reverted either: its API server may have written data that the previous version cannot read. */
function hasStarted(decided: string, running: string, requested: string | undefined): boolean {
  if (minorOf(decided) === minorOf(running) || compareVersions(decided, running) < 0) return false;
  return requested === undefined || requested === decided || upgradeProblem(decided, requested) !== undefined;
}

function isNewerPatch(version: string, running: string): boolean {
  return minorOf(version) === minorOf(running) && compareVersions(version, running) > 0;
}
