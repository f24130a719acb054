import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@fairway/kube/kinds/generated/types';
import { CustomResourceDefinitions, definitions } from './definitions.ts';
import { AUTHENTICATION_READER, GATEWAY_ROLE, GATEWAY_SYSTEM_ROLE } from './gateway-permissions.ts';

/** Who `fairway serve` is in a management cluster. */
export const SERVICE_ACCOUNT = 'fairway';

const RBAC_VERSION = 'rbac.authorization.k8s.io/v1';
const READ = ['get', 'list', 'watch'];

/**
 * What controllers need of the whole cluster, and no more. They may not read a list of Secrets: they get the one that a
 * CloudCredential names. `finalizers` is what lets them name an owner that waits for what it owns.
 */
const CONTROLLERS_ROLE: ClusterRole = {
  apiVersion: RBAC_VERSION,
  kind: 'ClusterRole',
  metadata: { name: 'fairway-controllers' },
  rules: [
    {
      apiGroups: [GROUP],
      resources: ['clusters', 'nodepools', 'machines', 'cloudcredentials', 'plans', 'kubernetesreleases'],
      verbs: READ,
    },
    { apiGroups: [GROUP], resources: ['clusters', 'nodepools', 'machines', 'cloudcredentials'], verbs: ['patch'] },
    {
      apiGroups: [GROUP],
      resources: [
        'clusters/status',
        'nodepools/status',
        'machines/status',
        'cloudcredentials/status',
        'plans/status',
        'kubernetesreleases/status',
      ],
      verbs: ['patch'],
    },
    { apiGroups: [GROUP], resources: ['clusters/finalizers', 'nodepools/finalizers'], verbs: ['update'] },
    { apiGroups: [GROUP], resources: ['nodepools', 'cloudcredentials'], verbs: ['delete'] },
    { apiGroups: [GROUP], resources: ['machines'], verbs: ['create', 'delete'] },
    // Whether they are of this release.
    {
      apiGroups: [CustomResourceDefinitions.group],
      resources: [CustomResourceDefinitions.plural],
      resourceNames: definitions().map(({ metadata }) => metadata.name ?? ''),
      verbs: ['get'],
    },
    { apiGroups: [''], resources: ['namespaces'], verbs: READ },
    { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ],
};

/** What belongs to Fairway alone: the clusters' roots of trust, and the Leases by which replicas share the work. */
const SYSTEM_ROLE: Role = {
  apiVersion: RBAC_VERSION,
  kind: 'Role',
  metadata: { name: 'fairway-controllers', namespace: SYSTEM_NAMESPACE },
  rules: [
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'deletecollection'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: [...READ, 'create', 'update', 'patch', 'delete'],
    },
  ],
};

const SUBJECT = { kind: 'ServiceAccount', name: SERVICE_ACCOUNT, namespace: SYSTEM_NAMESPACE };

function clusterBinding(role: string): ClusterRoleBinding {
  return {
    apiVersion: RBAC_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [SUBJECT],
  };
}

function binding(name: string, namespace: string, role: string): RoleBinding {
  return {
    apiVersion: RBAC_VERSION,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
    subjects: [SUBJECT],
  };
}

/** The rights of Fairway's own ServiceAccount. */
export const PERMISSIONS = {
  clusterRoles: [CONTROLLERS_ROLE, GATEWAY_ROLE],
  clusterRoleBindings: [clusterBinding('fairway-controllers'), clusterBinding('fairway-gateway')],
  roles: [SYSTEM_ROLE, GATEWAY_SYSTEM_ROLE],
  roleBindings: [
    binding('fairway-controllers', SYSTEM_NAMESPACE, 'fairway-controllers'),
    binding('fairway-gateway', SYSTEM_NAMESPACE, 'fairway-gateway'),
    binding('fairway-gateway', AUTHENTICATION_READER.namespace, AUTHENTICATION_READER.role),
  ],
} as const;
