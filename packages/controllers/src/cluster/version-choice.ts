import { ConditionReason } from '@fairway/api/conditions';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { type MaintenanceGate, maintenanceGate, specChangeGate } from '@fairway/api/domain/maintenance-gate';
import { type OfferedVersion, offeredVersions } from '@fairway/api/domain/offered-versions';
import { followedMinor, takesPatches } from '@fairway/api/domain/update-policy';
import { compareVersions, isMinor, minorOf } from '@fairway/api/domain/version-numbers';
import {
  isKubeletSkewAllowed,
  newestPatch,
  type ResolvedVersion,
  resolveUpgrade,
  resolveVersion,
  upgradeProblem,
} from '@fairway/api/domain/versions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';

export interface NodeVersion {
  readonly name: string;
  readonly pool: string;
  /** Of its kubelet, or the one that it will start with. */
  readonly version: string;
}

export interface VersionFacts {
  readonly cluster: Cluster;
  readonly releases: readonly KubernetesRelease[];
  /** Looked at only before a minor version is left. */
  readonly nodes: () => readonly NodeVersion[];
  /** Whether its API server answers throughout an update. */
  readonly isSeamless: boolean;
  readonly nowMs: number;
}

/** What the control plane is to run. */
export interface VersionChoice {
  /** Undefined: nothing can be chosen, for `waiting`. */
  readonly version: string | undefined;
  /** Why it is not what the spec leads to; undefined if it is. */
  readonly waiting: Problem | undefined;
}

/**
 * The exact version that a cluster's control plane is to run now. Pure, and level-triggered: a version that was decided on earlier
 * (`status.desiredVersion`) is kept while nothing speaks against it, so that a patch that appears during a start, or a rollout that stops, turns nothing back.
 */
export function chooseVersion(facts: VersionFacts): VersionChoice {
  const { version: running, desiredVersion: decided } = facts.cluster.status ?? {};
  const awake = chooseAwake(facts);
  if (running === undefined || !isHibernationWanted(facts.cluster)) return awake;
  // What has begun is finished, so that the nodes leave a control plane that works.
  const kept = decided ?? running;
  return awake.version === kept ? awake : { version: kept, waiting: untilAwake(awake.version ?? kept) };
}

function chooseAwake(facts: VersionFacts): VersionChoice {
  const { cluster, releases, nowMs } = facts;
  const requested = cluster.spec.version;
  const { version: running, desiredVersion: decided } = cluster.status ?? {};
  const offered = offeredVersions(releases, nowMs);
  if (running === undefined) {
    if (decided !== undefined && isMatching(decided, requested) && isUsable(decided, offered)) return chosen(decided);
    const resolved = resolveVersion(requested, releases, nowMs);
    return resolved.ok ? chosen(resolved.version.version) : { version: undefined, waiting: notOffered(resolved) };
  }
  if (decided !== undefined && isBegun(decided, running, requested) && isUsable(decided, offered)) {
    return { version: decided, waiting: updating(running, decided) };
  }
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
    return { version: running, waiting: untilWindow(cluster, target, gate) };
  return { version: target, waiting: updating(running, target) };
}

function followPatches(
  { cluster, releases, isSeamless, nowMs }: VersionFacts,
  running: string,
  offered: readonly OfferedVersion[],
): VersionChoice {
  const decided = cluster.status?.desiredVersion;
  if (decided !== undefined && isNewerPatch(decided, running) && isUsable(decided, offered)) {
    return { version: decided, waiting: updating(running, decided) };
  }
  const next = newestPatch(running, offered)?.version;
  if (next === undefined) return chosen(running);
  if (!takesPatches(cluster, isSeamless)) return { version: running, waiting: leftToUser(cluster, next) };
  const rollout = releases.find(({ spec }) => spec.minor === minorOf(running))?.status?.rollout;
  const isTurn = rollout?.version === next && rollout.moving.some(({ uid }) => uid === cluster.metadata.uid);
  const isStopped = rollout?.version === next && (rollout.state === 'Halted' || rollout.state === 'Paused');
  if (isStopped && !isTurn) return { version: running, waiting: stopped(next, rollout.state) };
  const gate = maintenanceGate(cluster, nowMs);
  if (!gate.isOpen) return { version: running, waiting: untilWindow(cluster, next, gate) };
  return isTurn ? { version: next, waiting: updating(running, next) } : { version: running, waiting: inLine(next) };
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

/** An upgrade to the next minor version does not turn back either: its API server may have written what the one before cannot read. */
function isBegun(decided: string, running: string, requested: string | undefined): boolean {
  if (minorOf(decided) === minorOf(running) || compareVersions(decided, running) < 0) return false;
  return requested === undefined || requested === decided || upgradeProblem(decided, requested) !== undefined;
}

function isNewerPatch(version: string, running: string): boolean {
  return minorOf(version) === minorOf(running) && compareVersions(version, running) > 0;
}

function updating(running: string, target: string): Problem | undefined {
  if (running === target) return undefined;
  return {
    reason: ConditionReason.Updating,
    message: `the control plane is being updated from ${running} to ${target}`,
  };
}

function notOffered({ problem, isMissing }: Extract<ResolvedVersion, { ok: false }>): Problem {
  const reason = isMissing ? ConditionReason.ProgramsMissing : ConditionReason.VersionNotOffered;
  return { reason, message: `spec.version: ${problem}` };
}

function leftToUser({ spec }: Cluster, next: string): Problem {
  const why =
    spec.updatePolicy === 'NeverUpdate'
      ? 'updatePolicy NeverUpdate leaves it to you'
      : 'with updatePolicy MinimalDowntime it waits, because the API server runs in one copy and would be away for a while';
  const message = `${next} is available; ${why}: set spec.version to ${next} to take it`;
  return { reason: ConditionReason.UpdateAvailable, message };
}

function inLine(next: string): Problem {
  const message = `${next} is being rolled out to a share of the clusters at a time; this one waits for its turn (set spec.version to ${next} to take it now)`;
  return { reason: ConditionReason.WaitingForRollout, message };
}

function untilAwake(next: string): Problem {
  return { reason: ConditionReason.Hibernated, message: `the control plane takes ${next} when the cluster wakes` };
}

function untilWindow({ metadata }: Cluster, next: string, gate: Extract<MaintenanceGate, { isOpen: false }>): Problem {
  const message = `${next} waits for the maintenance window, which opens at ${formatTime(gate.opensAtMs)} ("fairway cluster maintain ${metadata.name}" lets it begin now)`;
  return { reason: ConditionReason.WaitingForMaintenanceWindow, message };
}

function stopped(next: string, state: string): Problem {
  const why = state === 'Halted' ? 'has stopped after failures' : 'is paused by the operator';
  const message = `${next} is available, but its rollout ${why}; the operator decides how it goes on (set spec.version to ${next} to take it now)`;
  return { reason: ConditionReason.RolloutHalted, message };
}

const NAMED = 3;

function skewProblem(target: string, nodes: readonly NodeVersion[]): Problem | undefined {
  const old = nodes.filter(({ version }) => !isKubeletSkewAllowed(version, target));
  if (old.length === 0) return undefined;
  const names = old.map(({ name, version }) => `${name} (${version})`).sort();
  const more = old.length > NAMED ? `, ${old.length - NAMED} more` : '';
  const pools = [...new Set(old.map(({ pool }) => pool))].sort();
  const listed = `${pools.slice(0, NAMED).join(', ')}${pools.length > NAMED ? ', …' : ''}`;
  const message =
    `${target} waits for nodes that are more than three minor versions older: ${names.slice(0, NAMED).join(', ')}${more}, in pool ${listed}. ` +
    'Delete their Machines one at a time, and the pool replaces them with newer ones';
  return { reason: ConditionReason.NodesTooOld, message };
}
