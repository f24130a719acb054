import { actionRequiredBy, ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Informer } from '@fairway/kube/client/informer';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { ProjectCloud } from '../cloud/project-cloud.ts';
import type { Problem } from '../problem.ts';

/** Why the cluster's credential cannot be used, according to its status. */
export function credentialProblem(cluster: Cluster, credentials: Informer<CloudCredential>): Problem | undefined {
  const { credentialName } = cluster.spec;
  if (credentialName === undefined) return undefined;
  const credential = credentials.get(`${cluster.metadata.namespace}/${credentialName}`);
  const ready = findCondition(credential?.status?.conditions, ConditionType.Ready);
  const reason = ready?.reason as ConditionReason;
  // An unavailable Keystone is reported by the calls themselves.
  if (ready?.status !== 'False' || actionRequiredBy(reason) === 'cloud') return undefined;
  return {
    reason,
    message: `CloudCredential ${credentialName} cannot be used: ${ready.message}`,
  };
}

/** Why no cloud is available for a cluster. */
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
      message: `namespace ${metadata.namespace} has no cloud; the operator must set its annotation fairway.dev/cloud`,
    };
  }
  return {
    reason: ConditionReason.CredentialInvalid,
    message: `spec.credentialName: namespace ${metadata.namespace} has no usable CloudCredential ${spec.credentialName}; create it, or specify another one for the same project`,
  };
}

/**
 * Describes a refused login in terms of the object that contains the credential and of who can replace it; other
 * problems are returned unchanged.
 */
export function describeLoginProblem<T extends Problem>(
  problem: T,
  { cluster, cloud }: { readonly cluster: Cluster | undefined; readonly cloud: ProjectCloud | undefined },
): T {
  if (problem.reason !== ConditionReason.CredentialInvalid || cluster === undefined) return problem;
  const { credentialName } = cluster.spec;
  const login =
    credentialName === undefined
      ? `it belongs to cloud ${cloud?.name ?? ''} in the operator's clouds.yaml, and the operator must renew it`
      : `it is CloudCredential ${credentialName}; create another one ("fairway credential create NAME --cloud CLOUD") and set spec.credentialName of the clusters that use it, or replace its Secret`;
  return { ...problem, message: problem.message.replace(/renew it$/, login) };
}
