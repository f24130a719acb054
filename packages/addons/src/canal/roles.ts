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

/** Who the pods of Canal are. */
export const ACCOUNT_NAME = 'canal';
/** Who the CNI plugin on a node is; calico-node gives it tokens. */
export const PLUGIN_ACCOUNT_NAME = 'canal-cni';

const ROLE = 'fairway:canal';
const PLUGIN_ROLE = 'fairway:canal-cni';
const RBAC = 'rbac.authorization.k8s.io';

const LOOK = ['get', 'list', 'watch'];

/** For Felix and flannel. What Felix asks for and is refused, it waits for: so it may look for kinds that there are none of. */
function role(): ClusterRole {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: ROLE },
    rules: [
      { apiGroups: [''], resources: ['nodes', 'namespaces', 'pods', 'serviceaccounts'], verbs: LOOK },
      { apiGroups: [''], resources: ['endpoints', 'services'], verbs: LOOK },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: LOOK },
      { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: LOOK },
      {
        apiGroups: ['policy.networking.k8s.io'],
        resources: ['adminnetworkpolicies', 'baselineadminnetworkpolicies', 'clusternetworkpolicies'],
        verbs: LOOK,
      },
      // flannel tells the other nodes how to reach this one in annotations of its Node.
      { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
      { apiGroups: [CALICO_GROUP], resources: ['*'], verbs: LOOK },
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

/** Of its own namespace alone: there it makes tokens for the CNI plugin, and looks for the settings of those who install clusters. */
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

/** Who does it, and what they may. */
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
