import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { MAINTENANCE_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { findCondition } from '@fairway/kube/controller/conditions';

/** Whether a Cluster has changed in a field that a rollout depends on. */
export function isRolloutRelevant(old: Cluster, cluster: Cluster): boolean {
  return viewOf(old) !== viewOf(cluster);
}

function viewOf({ metadata, spec, status }: Cluster): string {
  return JSON.stringify([
    metadata.labels,
    metadata.annotations?.['fairway.dev/paused'],
    metadata.deletionTimestamp,
    spec.version,
    metadata.annotations?.[MAINTENANCE_ANNOTATION],
    spec.maintenance,
    spec.updatePolicy,
    status?.version,
    status?.desiredVersion,
    status?.hibernation?.wanted,
    status?.reset?.phase,
    status?.endOfLife?.upgrade,
    status?.forcedUpgrade,
    findCondition(status?.conditions, ConditionType.UpToDate)?.reason === ConditionReason.NodesTooOld,
    findCondition(status?.conditions, ConditionType.ControlPlaneReady)?.status,
    findCondition(status?.conditions, ConditionType.Ready)?.status,
  ]);
}
