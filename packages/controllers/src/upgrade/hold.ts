import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { RenewalLimits } from '@fairway/api/domain/renewal-limits';
import type { RenewalCause } from '@fairway/api/domain/renewal-need';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Problem } from '@fairway/tenancy/problem';

/**
 * What keeps a machine from being renewed, and what that means for one whose turn it is already. `Freeze`: nothing is known, and nothing changes. `Finish`: no
 * further machine is taken, but one whose replacement is being made goes on. `Stop`: none goes on.
 */
export interface Hold extends Problem {
  readonly kind: 'Freeze' | 'Finish' | 'Stop';
}

/** Why no node of the cluster is taken now: its control plane comes first, and a drain needs it. */
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
  return { kind, reason, message: 'the API server of the cluster cannot be reached; no node is taken meanwhile' };
}

export interface PolicyFacts {
  readonly cluster: Cluster;
  readonly strategy: 'InPlace' | 'Rolling';
  readonly limits: RenewalLimits;
  /** Whether the cluster has a maintenance window. */
  readonly hasWindow: boolean;
  /** What waits for the window: what a person has asked for, and what Fairway does by itself. */
  readonly asked: Problem | undefined;
  readonly automatic: Problem | undefined;
  /** What an upgrade after the end of life waits for. */
  readonly forced: Problem | undefined;
}

/** Whether the policy and the window of the cluster let a machine be renewed for this cause now. */
export function policyHold(cause: RenewalCause, facts: PolicyFacts): Hold | undefined {
  const { cluster, asked, automatic, forced, hasWindow } = facts;
  if (cause === 'Asked') return asked && { ...asked, kind: 'Finish' };
  // The policy is about patches.
  if (cause === 'Forced') return forced && { ...forced, kind: 'Finish' };
  const why = leftToUser(cause, facts);
  if (why !== undefined) {
    const how =
      cause === 'Patch' ? `set spec.version to ${cluster.status?.version}` : 'name it in spec.image by its id';
    const what = cause === 'Patch' ? `nodes of ${cluster.status?.version}` : 'a newer build of the image';
    const message = `${what} can be had; ${why}: ${how} to renew the nodes now`;
    return { kind: 'Stop', reason: ConditionReason.UpdateAvailable, message };
  }
  // Nobody's nodes are renewed at any time because an image was uploaded.
  if (cause === 'ImageBuild' && !hasWindow) {
    const message =
      'a newer build of the image can be had, and new nodes get it; existing ones follow in a maintenance window, and the cluster has none: set spec.maintenance.window, or name the image in spec.image by its id to renew the nodes now';
    return { kind: 'Stop', reason: ConditionReason.UpdateAvailable, message };
  }
  return automatic && { ...automatic, kind: 'Finish' };
}

function leftToUser(cause: RenewalCause, { cluster, strategy, limits }: PolicyFacts): string | undefined {
  switch (cluster.spec.updatePolicy) {
    case 'AlwaysUpdate':
      return undefined;
    case 'MinimalDowntime': {
      const isSeamless = strategy === 'Rolling' && limits.maxUnavailable === 0;
      return isSeamless
        ? undefined
        : 'with updatePolicy MinimalDowntime it waits, because nodes would be missing meanwhile (Rolling with maxUnavailable 0 avoids that)';
    }
    case 'NeverUpdate':
      return `updatePolicy NeverUpdate leaves it to you`;
  }
}
