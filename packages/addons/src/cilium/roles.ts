import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type AddonObject } from '../addon.ts';
import { AGENT_CLUSTER_RULES, AGENT_LOCAL_RULES } from './agent-rules.ts';
import { OPERATOR_RULES, operatorLocalRules } from './operator-rules.ts';

type Rules = NonNullable<ClusterRole['rules']>;

export const AGENT_ACCOUNT = 'cilium';
export const OPERATOR_ACCOUNT = 'cilium-operator';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** Identities and permissions of the agent and the operator. */
export function ciliumRoles(configName: string): readonly AddonObject[] {
  return [
    ...accountObjects(AGENT_ACCOUNT, AGENT_CLUSTER_RULES, AGENT_LOCAL_RULES),
    ...accountObjects(OPERATOR_ACCOUNT, OPERATOR_RULES, operatorLocalRules(configName)),
  ];
}

/** An account with cluster-wide rules, and with local rules in the add-ons' namespace. */
function accountObjects(account: string, clusterRules: Rules, localRules: Rules): AddonObject[] {
  const name = `fairway:${account}`;
  const apiVersion = `${RBAC_GROUP}/v1`;
  const localMetadata = { name, namespace: ADDON_NAMESPACE };
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: ADDON_NAMESPACE }];
  const serviceAccount: ServiceAccount = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: account, namespace: ADDON_NAMESPACE },
  };
  const clusterRole: ClusterRole = { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: clusterRules };
  const clusterRoleBinding: ClusterRoleBinding = {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
    subjects,
  };
  const role: Role = { apiVersion, kind: 'Role', metadata: localMetadata, rules: localRules };
  const roleBinding: RoleBinding = {
    apiVersion,
    kind: 'RoleBinding',
    metadata: localMetadata,
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name },
    subjects,
  };
  return [
    { type: ServiceAccounts, name: account, object: serviceAccount },
    { type: ClusterRoles, name, object: clusterRole },
    { type: ClusterRoleBindings, name, object: clusterRoleBinding },
    { type: Roles, name, object: role },
    { type: RoleBindings, name, object: roleBinding },
  ];
}
