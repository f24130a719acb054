import { ConditionReason, ConditionType, turnOf } from '@fairway/api/conditions';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Informer } from '@fairway/kube/client/informer';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Problem } from '../problem.ts';

/** Why the cluster's credential cannot be used, according to its status. */
export function credentialProblem(cluster: Cluster, credentials: Informer<CloudCredential>): Problem | undefined {
  const { credentialName } = cluster.spec;
  if (credentialName === undefined) return undefined;
  const credential = credentials.get(`${cluster.metadata.namespace}/${credentialName}`);
  const ready = findCondition(credential?.status?.conditions, ConditionType.Ready);
  const reason = ready?.reason as ConditionReason;
  // An unavailable Keystone is reported by the calls themselves.
  if (ready?.status !== 'False' || turnOf(reason) === 'cloud') return undefined;
  return {
    reason,
    message: `CloudCredential ${credentialName} cannot be used: ${ready.message}`,
  };
}

/** Why a cluster has no cloud at all. */
export function missingCloud({
  metadata,
  spec,
}: {
  readonly metadata: Cluster['metadata'];
  readonly spec: Pick<Cluster['spec'], 'credentialName'>;
}): Problem {
  if (spec.credentialName === undefined) {
    return {
      reason: ConditionReason.ConfigurationInvalid,
      message: `namespace ${metadata.namespace} has no cloud; the operator has to set its annotation fairway.dev/cloud`,
    };
  }
  return {
    reason: ConditionReason.CredentialInvalid,
    message: `spec.credentialName: namespace ${metadata.namespace} has no usable CloudCredential ${spec.credentialName}; create it, or name another of the same project`,
  };
}
