import type { Cluster } from '@fairway/api/kinds/cluster';
import { parsePolicy } from '@fairway/identity/policy/policy';
import type { FieldError } from '@fairway/kube/object/field-error';

const FIELD = 'spec.apiServer.keystone.policy';

/** Errors in the policy for Keystone users. A stored policy is not rejected again. */
export function keystonePolicyErrors(cluster: Cluster, old: Cluster | undefined): FieldError[] {
  const policy = cluster.spec.apiServer.keystone?.policy;
  if (policy === undefined || policy === old?.spec.apiServer.keystone?.policy) return [];
  try {
    parsePolicy(policy);
    return [];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ type: 'FieldValueInvalid', field: FIELD, value: policy.slice(0, 40), detail }];
  }
}
