import type { ClusterRole, ClusterRoleBinding, RoleBinding, ServiceAccount } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type AddonObject } from '../addon.ts';

const NAME = 'metrics-server';
const ROLE = 'system:metrics-server';
const READER = 'system:aggregated-metrics-reader';
const DELEGATOR = 'metrics-server:system:auth-delegator';
const AUTH_READER = 'metrics-server-auth-reader';
const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;

const SUBJECTS = [{ kind: 'ServiceAccount', name: NAME, namespace: ADDON_NAMESPACE }];

/** Its permissions, and those of its users. Names are upstream's, which a tenant may have bound to. */
export const METRICS_SERVER_RIGHTS: readonly AddonObject[] = [
  { type: ServiceAccounts, name: NAME, object: serviceAccount() },
  { type: ClusterRoles, name: READER, object: reader() },
  { type: ClusterRoles, name: ROLE, object: scraper() },
  { type: ClusterRoleBindings, name: ROLE, object: binding(ROLE, ROLE) },
  // It asks the API server who its clients are, and what they may read.
  { type: ClusterRoleBindings, name: DELEGATOR, object: binding(DELEGATOR, 'system:auth-delegator') },
  { type: RoleBindings, name: AUTH_READER, object: authenticationReader() },
];

function serviceAccount(): ServiceAccount {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: ADDON_NAMESPACE } };
}

/** Part of the roles `view`, `edit` and `admin`. */
function reader(): ClusterRole {
  const aggregate = (role: string) => [`${GROUP}/aggregate-to-${role}`, 'true'];
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: { name: READER, labels: Object.fromEntries(['view', 'edit', 'admin'].map(aggregate)) },
    rules: [{ apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] }],
  };
}

function scraper(): ClusterRole {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: { name: ROLE },
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

function authenticationReader(): RoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'RoleBinding',
    metadata: { name: AUTH_READER, namespace: ADDON_NAMESPACE },
    roleRef: { apiGroup: GROUP, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects: SUBJECTS,
  };
}
