import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { UpdateCause } from '@fairway/api/domain/required-update';
import type { RolloutLimits } from '@fairway/api/domain/rollout-limits';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Problem } from '@fairway/tenancy/problem';

/**
 * What delays the update of a machine, and what this means for an update that has already started. `Freeze`:
 * nothing is known, and nothing changes. `Finish`: no more machines start, but a machine whose replacement is being
 * created continues. `Stop`: no update continues.
 */
export interface Hold extends Problem {
  readonly kind: 'Freeze' | 'Finish' | 'Stop';
}

/**
 * Why none of the cluster's nodes is being updated now: its control plane comes first, and a drain needs the control
 * plane.
 */
export function clusterHold({ status }: Cluster, isConnected: boolean): Hold | undefined {
  const kind = 'Freeze';
  const ready = findCondition(status?.conditions, ConditionType.ControlPlaneReady);
  if (ready?.reason === ConditionReason.Restoring) {
    const message = 'the database of the cluster is being restored';
    return { kind, reason: ConditionReason.Restoring, message };
  }
  const reason = ConditionReason.WaitingForControlPlane;
  const { version, desiredVersion } = status ?? {};
  if (desiredVersion !== undefined && desiredVersion !== version) {
    return { kind, reason, message: `the control plane is updated to ${desiredVersion} first` };
  }
  if (ready?.status === 'True' && isConnected) return undefined;
  return { kind, reason, message: 'the API server of the cluster cannot be reached; no node is updated until it can' };
}

export interface PolicyFacts {
  readonly cluster: Cluster;
  readonly strategy: 'InPlace' | 'Rolling';
  readonly limits: RolloutLimits;
  /** Whether the cluster has a maintenance window. */
  readonly hasWindow: boolean;
  /** What is waiting for the window: changes requested by a user, and automatic ones. */
  readonly asked: Problem | undefined;
  readonly automatic: Problem | undefined;
  /** What a forced upgrade after the end of life is waiting for. */
  readonly forced: Problem | undefined;
}

/** Whether the cluster's policy and window permit updating a machine for this reason now. */
export function policyHold(cause: UpdateCause, facts: PolicyFacts): Hold | undefined {
  const { cluster, asked, automatic, forced, hasWindow } = facts;
  if (cause === 'Asked') return asked && { ...asked, kind: 'Finish' };
  // The policy applies to patches.
  if (cause === 'Forced') return forced && { ...forced, kind: 'Finish' };
  const why = manualUpdateReason(cause, facts);
  if (why !== undefined) {
    const how = cause === 'Patch' ? `set spec.version to ${cluster.status?.version}` : 'specify its ID in spec.image';
    const what = cause === 'Patch' ? `version ${cluster.status?.version}` : 'a newer build of the image';
    const message = `${what} is available; ${why}: ${how} to update the nodes now`;
    return { kind: 'Stop', reason: ConditionReason.UpdateAvailable, message };
  }
  // An uploaded image must not cause node updates at arbitrary times.
  if (cause === 'ImageBuild' && !hasWindow) {
    const message =
      'a newer build of the image is available, and new nodes use it; existing nodes are updated in a maintenance window, and the cluster has none: set spec.maintenance.window, or specify the ID of the image in spec.image to update the nodes now';
    return { kind: 'Stop', reason: ConditionReason.UpdateAvailable, message };
  }
  return automatic && { ...automatic, kind: 'Finish' };
}

function manualUpdateReason(cause: UpdateCause, { cluster, strategy, limits }: PolicyFacts): string | undefined {
  switch (cluster.spec.updatePolicy) {
    case 'AlwaysUpdate':
      return undefined;
    case 'MinimalDowntime': {
      const isSeamless = strategy === 'Rolling' && limits.maxUnavailable === 0;
      return isSeamless
        ? undefined
        : 'updatePolicy MinimalDowntime holds it back, because nodes would be unavailable during the update (Rolling with maxUnavailable 0 avoids that)';
    }
    case 'NeverUpdate':
      return `updatePolicy NeverUpdate leaves the update to you`;
  }
}
