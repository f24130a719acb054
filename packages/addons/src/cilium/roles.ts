import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type AddonObject } from '../addon.ts';
import { AGENT_LOCAL_RULES, AGENT_RULES } from './agent-rights.ts';
import { OPERATOR_RULES, operatorLocalRules } from './operator-rights.ts';

type Rules = NonNullable<ClusterRole['rules']>;

export const AGENT_ACCOUNT = 'cilium';
export const OPERATOR_ACCOUNT = 'cilium-operator';

const RBAC = 'rbac.authorization.k8s.io';

/** Its identity and permissions. */
export function ciliumRoles(configName: string): readonly AddonObject[] {
  return [
    ...rights(AGENT_ACCOUNT, AGENT_RULES, AGENT_LOCAL_RULES),
    ...rights(OPERATOR_ACCOUNT, OPERATOR_RULES, operatorLocalRules(configName)),
  ];
}

/** An account, with the first rights in all namespaces and the others in the namespace of add-ons. */
function rights(account: string, everywhere: Rules, locally: Rules): AddonObject[] {
  const name = `fairway:${account}`;
  const apiVersion = `${RBAC}/v1`;
  const local = { name, namespace: ADDON_NAMESPACE };
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: ADDON_NAMESPACE }];
  const serviceAccount: ServiceAccount = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: account, namespace: ADDON_NAMESPACE },
  };
  const clusterRole: ClusterRole = { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: everywhere };
  const clusterRoleBinding: ClusterRoleBinding = {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects,
  };
  const role: Role = { apiVersion, kind: 'Role', metadata: local, rules: locally };
  const roleBinding: RoleBinding = {
    apiVersion,
    kind: 'RoleBinding',
    metadata: local,
    roleRef: { apiGroup: RBAC, kind: 'Role', name },
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
