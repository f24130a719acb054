import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { CLOUD_PROVIDER_CONTROLLERS } from '@fairway/cloud-provider/start';
import { CONTROLLERS } from '@fairway/controllers/start';
import { policyRules, READ, type Right } from '@fairway/kube/controller/rights';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@fairway/kube/kinds/generated/types';
import { Events, Leases, Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { definitions } from './definitions.ts';
import {
  AUTHENTICATION_READER,
  GATEWAY_ROLE,
  GATEWAY_SYSTEM_ROLE,
  KEYSTONE_ROLE,
  MAGNUM_ROLE,
} from './gateway-permissions.ts';

/** The identity of `fairway serve` in a management cluster. */
export const SERVICE_ACCOUNT = 'fairway';

const RBAC_VERSION = 'rbac.authorization.k8s.io/v1';

/**
 * Permissions of `fairway serve` in addition to its controllers'. It may not list Secrets, and gets only those that
 * CloudCredentials name.
 */
const SERVICE_RIGHTS: readonly Right[] = [
  // Needed to check whether the CRDs belong to this release.
  {
    type: CustomResourceDefinitions,
    names: definitions().map(({ metadata }) => metadata.name ?? ''),
    verbs: ['get'],
  },
  { type: Namespaces, verbs: READ },
  { type: Secrets, verbs: ['get'] },
  { type: Events, verbs: ['create', 'patch'] },
];

const DECLARED_RULES = [...CONTROLLERS, ...CLOUD_PROVIDER_CONTROLLERS].flatMap(({ rights }) => rights);

const CONTROLLERS_ROLE: ClusterRole = {
  apiVersion: RBAC_VERSION,
  kind: 'ClusterRole',
  metadata: { name: 'fairway-controllers' },
  rules: policyRules([...DECLARED_RULES, ...SERVICE_RIGHTS]),
};

/**
 * Fairway's own namespace: the clusters' CAs, their claims on plans, and the Leases that replicas use to share the
 * work.
 */
const SYSTEM_ROLE: Role = {
  apiVersion: RBAC_VERSION,
  kind: 'Role',
  metadata: { name: 'fairway-controllers', namespace: SYSTEM_NAMESPACE },
  rules: policyRules(
    [
      ...DECLARED_RULES,
      { type: Secrets, namespace: SYSTEM_NAMESPACE, verbs: ['get', 'list', 'create', 'deletecollection'] },
      {
        type: Leases,
        namespace: SYSTEM_NAMESPACE,
        verbs: [...READ, 'create', 'update', 'patch', 'delete'],
      },
    ],
    SYSTEM_NAMESPACE,
  ),
};

const SERVICE_ACCOUNT_SUBJECT = { kind: 'ServiceAccount', name: SERVICE_ACCOUNT, namespace: SYSTEM_NAMESPACE };

function clusterBinding(role: string): ClusterRoleBinding {
  return {
    apiVersion: RBAC_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [SERVICE_ACCOUNT_SUBJECT],
  };
}

function binding(name: string, namespace: string, role: string): RoleBinding {
  return {
    apiVersion: RBAC_VERSION,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
    subjects: [SERVICE_ACCOUNT_SUBJECT],
  };
}

/** The permissions of Fairway's own ServiceAccount. */
export const PERMISSIONS = {
  clusterRoles: [CONTROLLERS_ROLE, GATEWAY_ROLE, KEYSTONE_ROLE, MAGNUM_ROLE],
  clusterRoleBindings: [clusterBinding('fairway-controllers'), clusterBinding('fairway-gateway')],
  roles: [SYSTEM_ROLE, GATEWAY_SYSTEM_ROLE],
  roleBindings: [
    binding('fairway-controllers', SYSTEM_NAMESPACE, 'fairway-controllers'),
    binding('fairway-gateway', SYSTEM_NAMESPACE, 'fairway-gateway'),
    binding('fairway-gateway', AUTHENTICATION_READER.namespace, AUTHENTICATION_READER.role),
  ],
} as const;
