import { ConditionReason } from '@fairway/api/conditions';
import type { MaintenanceGate } from '@fairway/api/domain/maintenance-gate';
import { minorOf } from '@fairway/api/domain/version-numbers';
import { isKubeletSkewAllowed, type ResolvedVersion } from '@fairway/api/domain/versions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';
import type { NodeVersion } from './version-facts.ts';

export function updating(running: string, target: string, isForced = false): Problem | undefined {
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

export function leftToUser({ spec }: Cluster, next: string): Problem {
  const why =
    spec.updatePolicy === 'NeverUpdate'
      ? 'updatePolicy NeverUpdate leaves it to you'
      : 'with updatePolicy MinimalDowntime it waits, because the API server runs in one copy and would be away for a while';
  const message = `${next} is available; ${why}: set spec.version to ${next} to take it`;
  return { reason: ConditionReason.UpdateAvailable, message };
}

export function inLine(next: string): Problem {
  const message = `${next} is being rolled out to a share of the clusters at a time; this one waits for its turn (set spec.version to ${next} to take it now)`;
  return { reason: ConditionReason.WaitingForRollout, message };
}

export function untilAwake(next: string): Problem {
  return { reason: ConditionReason.Hibernated, message: `the control plane takes ${next} when the cluster wakes` };
}

export function untilWindow(
  { metadata }: Cluster,
  next: string,
  gate: Extract<MaintenanceGate, { isOpen: false }>,
): Problem {
  const message = `${next} waits for the maintenance window, which opens at ${formatTime(gate.opensAtMs)} ("fairway cluster maintain ${metadata.name}" lets it begin now)`;
  return { reason: ConditionReason.WaitingForMaintenanceWindow, message };
}

export function stopped(next: string, state: string): Problem {
  const why = state === 'Halted' ? 'has stopped after failures' : 'is paused by the operator';
  const message = `${next} is available, but its rollout ${why}; the operator decides how it goes on (set spec.version to ${next} to take it now)`;
  return { reason: ConditionReason.RolloutHalted, message };
}

const NAMED = 3;

export function skewProblem(target: string, nodes: readonly NodeVersion[]): Problem | undefined {
  const old = nodes.filter(({ version }) => !isKubeletSkewAllowed(version, target));
  if (old.length === 0) return undefined;
  const names = old.map(({ name, version }) => `${name} (${version})`).sort();
  const more = old.length > NAMED ? `, ${old.length - NAMED} more` : '';
  const pools = [...new Set(old.map(({ pool }) => pool))].sort();
  const listed = `${pools.slice(0, NAMED).join(', ')}${pools.length > NAMED ? ', …' : ''}`;
  const message =
    `${target} waits for nodes that are more than three minor versions older: ${names.slice(0, NAMED).join(', ')}${more}, in pool ${listed}. ` +
    'The pools renew them first: status.upgrade of each says how far it is and what it waits for';
  return { reason: ConditionReason.NodesTooOld, message };
}
