import { actionRequiredBy, type ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import type { ClusterDependencies } from './dependencies.ts';

/** The expiry notice of the cluster's credential, as a condition of the cluster; undefined if there is none. */
export function credentialCondition(credential: CloudCredential | undefined): ConditionState | undefined {
  const expiresSoon = findCondition(credential?.status?.conditions, ConditionType.ExpiresSoon);
  if (expiresSoon?.status !== 'True') return undefined;
  const message = `CloudCredential ${credential?.metadata.name}: ${expiresSoon.message}`;
  return { type: ConditionType.CredentialExpiresSoon, status: 'True', reason: expiresSoon.reason, message };
}

/**
 * Events for a credential that expires soon, once for each notice, and for a credential that Fairway may no longer use.
 */
export function recordCredentialEvents(
  events: Pick<ClusterDependencies['events'], 'warning'>,
  cluster: Cluster,
  { conditions, phase }: Pick<ClusterStatus, 'conditions' | 'phase'>,
): void {
  const before = cluster.status?.conditions;
  const expiresSoon = findCondition(conditions, ConditionType.CredentialExpiresSoon);
  if (expiresSoon && expiresSoon.message !== findCondition(before, expiresSoon.type)?.message) {
    events.warning(cluster, expiresSoon.reason, expiresSoon.message);
  }
  const reachable = findCondition(conditions, ConditionType.CloudReachable);
  // The Event about the new phase contains the reason.
  if (reachable?.status !== 'Unknown' || phase !== cluster.status?.phase) return;
  if (actionRequiredBy(reachable.reason as ConditionReason) === 'cloud') return;
  const last = findCondition(before, ConditionType.CloudReachable);
  if (last?.status === 'Unknown' && last.reason === reachable.reason) return;
  events.warning(cluster, reachable.reason, reachable.message);
}
