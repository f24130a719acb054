import { ConditionReason } from '@fairway/api/conditions';
import type { MaintenanceGate } from '@fairway/api/domain/maintenance-gate';
import { minorOf } from '@fairway/api/domain/version-numbers';
import { isKubeletSkewAllowed, type ResolvedVersion } from '@fairway/api/domain/versions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';
import type { NodeVersion } from './version-facts.ts';

export function updatingMessage(running: string, target: string, isForced = false): Problem | undefined {
  if (running === target) return undefined;
  const why = isForced ? `, because Kubernetes ${minorOf(running)} has reached its end of life` : '';
  return {
    reason: ConditionReason.Updating,
    message: `the control plane is being updated from ${running} to ${target}${why}`,
  };
}

export function notOffered({ problem, isMissing }: Extract<ResolvedVersion, { ok: false }>): Problem {
  const reason = isMissing ? ConditionReason.ProgramsMissing : ConditionReason.VersionNotOffered;
  return { reason, message: `spec.version: ${problem}` };
}

export function userMustUpgradeMessage({ spec }: Cluster, next: string): Problem {
  const why =
    spec.updatePolicy === 'NeverUpdate'
      ? 'updatePolicy NeverUpdate leaves the update to you'
      : 'updatePolicy MinimalDowntime holds it back, because the API server has a single replica and would be unavailable during the update';
  const message = `${next} is available; ${why}: set spec.version to ${next} to install it`;
  return { reason: ConditionReason.UpdateAvailable, message };
}

export function waitingForSlot(next: string): Problem {
  const message = `${next} is being rolled out in batches of clusters; this one is queued (set spec.version to ${next} to install it now)`;
  return { reason: ConditionReason.WaitingForRollout, message };
}

export function waitingForWakeUp(next: string): Problem {
  return {
    reason: ConditionReason.Hibernated,
    message: `the control plane is updated to ${next} when the cluster wakes`,
  };
}

export function waitingForWindow(
  { metadata }: Cluster,
  next: string,
  gate: Extract<MaintenanceGate, { isOpen: false }>,
): Problem {
  const message = `${next} is waiting for the maintenance window, which opens at ${formatTime(gate.opensAtMs)} (to start now: fairway cluster maintain ${metadata.name})`;
  return { reason: ConditionReason.WaitingForMaintenanceWindow, message };
}

export function stopped(next: string, state: string): Problem {
  const why = state === 'Halted' ? 'has stopped after failures' : 'is paused by the operator';
  const message = `${next} is available, but its rollout ${why}; the operator must resume it (set spec.version to ${next} to install it now)`;
  return { reason: ConditionReason.RolloutHalted, message };
}

const MAX_NAMES = 3;

export function skewProblem(target: string, nodes: readonly NodeVersion[]): Problem | undefined {
  const old = nodes.filter(({ version }) => !isKubeletSkewAllowed(version, target));
  if (old.length === 0) return undefined;
  const names = old.map(({ name, version }) => `${name} (${version})`).sort();
  const more = old.length > MAX_NAMES ? `, ${old.length - MAX_NAMES} more` : '';
  const pools = [...new Set(old.map(({ pool }) => pool))].sort();
  const listed = `${pools.slice(0, MAX_NAMES).join(', ')}${pools.length > MAX_NAMES ? ', …' : ''}`;
  const message =
    `${target} is waiting for nodes that are more than three minor versions older: ${names.slice(0, MAX_NAMES).join(', ')}${more}, in pool ${listed}. ` +
    'The pools update them first: see status.upgrade of each for progress and what it is waiting for';
  return { reason: ConditionReason.NodesTooOld, message };
}
