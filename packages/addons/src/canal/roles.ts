import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type AddonObject } from '../addon.ts';
import { CALICO_GROUP } from './definitions.ts';

/** The identity of Canal's pods. */
export const ACCOUNT_NAME = 'canal';
/** The CNI plugin's identity on a node; calico-node creates its tokens. */
export const PLUGIN_ACCOUNT_NAME = 'canal-cni';

const ROLE_NAME = 'fairway:canal';
const PLUGIN_ROLE_NAME = 'fairway:canal-cni';
const RBAC_GROUP = 'rbac.authorization.k8s.io';

const READ_VERBS = ['get', 'list', 'watch'];

/**
 * The role for Felix and flannel. Felix retries every denied request until it succeeds, so the role also covers kinds
 * that have no objects.
 */
function role(): ClusterRole {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name: ROLE_NAME },
    rules: [
      { apiGroups: [''], resources: ['nodes', 'namespaces', 'pods', 'serviceaccounts'], verbs: READ_VERBS },
      { apiGroups: [''], resources: ['endpoints', 'services'], verbs: READ_VERBS },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ_VERBS },
      { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: READ_VERBS },
      {
        apiGroups: ['policy.networking.k8s.io'],
        resources: ['adminnetworkpolicies', 'baselineadminnetworkpolicies', 'clusternetworkpolicies'],
        verbs: READ_VERBS,
      },
      // flannel publishes how to reach the node in annotations on its Node.
      { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
      { apiGroups: [CALICO_GROUP], resources: ['*'], verbs: READ_VERBS },
      {
        apiGroups: [CALICO_GROUP],
        resources: ['clusterinformations', 'felixconfigurations', 'tiers'],
        verbs: ['create', 'update'],
      },
    ],
  };
}

function pluginRole(): ClusterRole {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name: PLUGIN_ROLE_NAME },
    rules: [
      { apiGroups: [''], resources: ['pods', 'nodes', 'namespaces'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
      { apiGroups: [CALICO_GROUP], resources: ['clusterinformations'], verbs: ['get'] },
    ],
  };
}

/**
 * Permissions that apply only in the add-ons' namespace: calico-node creates tokens for the CNI plugin there, and reads
 * settings of cluster installers.
 */
function localRole(): Role {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'Role',
    metadata: { name: ROLE_NAME, namespace: ADDON_NAMESPACE },
    rules: [
      {
        apiGroups: [''],
        resources: ['serviceaccounts/token'],
        resourceNames: [PLUGIN_ACCOUNT_NAME],
        verbs: ['create'],
      },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    ],
  };
}

function account(name: string): ServiceAccount {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: ADDON_NAMESPACE } };
}

function clusterRoleBinding(name: string, accountName: string): ClusterRoleBinding {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: accountName, namespace: ADDON_NAMESPACE }],
  };
}

function localRoleBinding(): RoleBinding {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name: ROLE_NAME, namespace: ADDON_NAMESPACE },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: ROLE_NAME },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT_NAME, namespace: ADDON_NAMESPACE }],
  };
}

/** The identities and their permissions. */
export const CANAL_ROLES: readonly AddonObject[] = [
  { type: ServiceAccounts, name: ACCOUNT_NAME, object: account(ACCOUNT_NAME) },
  { type: ServiceAccounts, name: PLUGIN_ACCOUNT_NAME, object: account(PLUGIN_ACCOUNT_NAME) },
  { type: ClusterRoles, name: ROLE_NAME, object: role() },
  { type: ClusterRoles, name: PLUGIN_ROLE_NAME, object: pluginRole() },
  { type: Roles, name: ROLE_NAME, object: localRole() },
  { type: ClusterRoleBindings, name: ROLE_NAME, object: clusterRoleBinding(ROLE_NAME, ACCOUNT_NAME) },
  {
    type: ClusterRoleBindings,
    name: PLUGIN_ROLE_NAME,
    object: clusterRoleBinding(PLUGIN_ROLE_NAME, PLUGIN_ACCOUNT_NAME),
  },
  { type: RoleBindings, name: ROLE_NAME, object: localRoleBinding() },
];
