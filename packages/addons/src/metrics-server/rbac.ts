import type { ClusterRole, ClusterRoleBinding, RoleBinding, ServiceAccount } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type AddonObject } from '../addon.ts';

const NAME = 'metrics-server';
const ROLE_NAME = 'system:metrics-server';
const READER_ROLE = 'system:aggregated-metrics-reader';
const DELEGATOR_BINDING = 'metrics-server:system:auth-delegator';
const AUTH_READER_BINDING = 'metrics-server-auth-reader';
const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;

const SUBJECTS = [{ kind: 'ServiceAccount', name: NAME, namespace: ADDON_NAMESPACE }];

/**
 * Permissions for metrics-server and its users. The names are upstream's, because a tenant may have created bindings
 * to them.
 */
export const METRICS_SERVER_RBAC: readonly AddonObject[] = [
  { type: ServiceAccounts, name: NAME, object: serviceAccount() },
  { type: ClusterRoles, name: READER_ROLE, object: readerRole() },
  { type: ClusterRoles, name: ROLE_NAME, object: metricsServerRole() },
  { type: ClusterRoleBindings, name: ROLE_NAME, object: binding(ROLE_NAME, ROLE_NAME) },
  // The API server authenticates and authorizes metrics-server's clients.
  { type: ClusterRoleBindings, name: DELEGATOR_BINDING, object: binding(DELEGATOR_BINDING, 'system:auth-delegator') },
  { type: RoleBindings, name: AUTH_READER_BINDING, object: authReaderBinding() },
];

function serviceAccount(): ServiceAccount {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: ADDON_NAMESPACE } };
}

/** Aggregated into the roles `view`, `edit` and `admin`. */
function readerRole(): ClusterRole {
  const aggregationLabel = (role: string) => [`${GROUP}/aggregate-to-${role}`, 'true'];
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: { name: READER_ROLE, labels: Object.fromEntries(['view', 'edit', 'admin'].map(aggregationLabel)) },
    rules: [{ apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] }],
  };
}

function metricsServerRole(): ClusterRole {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: { name: ROLE_NAME },
    rules: [
      { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
    ],
  };
}

function binding(name: string, role: string): ClusterRoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: SUBJECTS,
  };
}

function authReaderBinding(): RoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'RoleBinding',
    metadata: { name: AUTH_READER_BINDING, namespace: ADDON_NAMESPACE },
    roleRef: { apiGroup: GROUP, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects: SUBJECTS,
  };
}
