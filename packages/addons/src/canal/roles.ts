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

/** Identity of Canal's pods. */
export const ACCOUNT_NAME = 'canal';
/** Identity of the CNI plugin on a node; calico-node creates its tokens. */
export const PLUGIN_ACCOUNT_NAME = 'canal-cni';

const ROLE = 'fairway:canal';
const PLUGIN_ROLE = 'fairway:canal-cni';
const RBAC = 'rbac.authorization.k8s.io';

const READ_VERBS = ['get', 'list', 'watch'];

/** For Felix and flannel. Felix waits for every request that is denied, so it may also list kinds that have no objects. */
function role(): ClusterRole {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: ROLE },
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
      // flannel publishes how to reach this node in annotations of its Node.
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
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: PLUGIN_ROLE },
    rules: [
      { apiGroups: [''], resources: ['pods', 'nodes', 'namespaces'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
      { apiGroups: [CALICO_GROUP], resources: ['clusterinformations'], verbs: ['get'] },
    ],
  };
}

/** In its own namespace only: it creates tokens for the CNI plugin there, and reads settings of cluster installers. */
function localRole(): Role {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { name: ROLE, namespace: ADDON_NAMESPACE },
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

function bound(name: string, accountName: string): ClusterRoleBinding {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: accountName, namespace: ADDON_NAMESPACE }],
  };
}

function boundLocally(): RoleBinding {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: ROLE, namespace: ADDON_NAMESPACE },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: ROLE },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT_NAME, namespace: ADDON_NAMESPACE }],
  };
}

/** The identities and their permissions. */
export const CANAL_ROLES: readonly AddonObject[] = [
  { type: ServiceAccounts, name: ACCOUNT_NAME, object: account(ACCOUNT_NAME) },
  { type: ServiceAccounts, name: PLUGIN_ACCOUNT_NAME, object: account(PLUGIN_ACCOUNT_NAME) },
  { type: ClusterRoles, name: ROLE, object: role() },
  { type: ClusterRoles, name: PLUGIN_ROLE, object: pluginRole() },
  { type: Roles, name: ROLE, object: localRole() },
  { type: ClusterRoleBindings, name: ROLE, object: bound(ROLE, ACCOUNT_NAME) },
  { type: ClusterRoleBindings, name: PLUGIN_ROLE, object: bound(PLUGIN_ROLE, PLUGIN_ACCOUNT_NAME) },
  { type: RoleBindings, name: ROLE, object: boundLocally() },
];
