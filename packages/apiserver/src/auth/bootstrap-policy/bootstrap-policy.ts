import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '@fairway/kube/kinds/generated/types';
import { componentRoles } from './component-roles.ts';
import { controllerRoles } from './controller-roles.ts';
import { namespacedRoles } from './namespaced-roles.ts';
import { userRoles } from './user-roles.ts';

export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const RBAC = 'rbac.authorization.k8s.io';
const API_VERSION = `${RBAC}/v1`;

export type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

/** Aggregated roles, each with the role that its rules are added to. */
const AGGREGATION_TARGETS: Readonly<Record<string, string | undefined>> = {
  admin: undefined,
  edit: 'admin',
  view: 'edit',
};

/** The initial cluster role bindings. */
const SUBJECTS: Readonly<Record<string, readonly Subject[]>> = {
  'cluster-admin': [group('system:masters')],
  'system:basic-user': [group('system:authenticated')],
  'system:discovery': [group('system:authenticated')],
  'system:public-info-viewer': [group('system:authenticated'), group('system:unauthenticated')],
  'system:monitoring': [group('system:monitoring')],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
  'system:kube-controller-manager': [user('system:kube-controller-manager')],
  'system:kube-scheduler': [user('system:kube-scheduler')],
  'system:volume-scheduler': [user('system:kube-scheduler')],
  'system:node-proxier': [user('system:kube-proxy')],
  'system:kube-dns': [serviceAccount('kube-dns')],
  // The node authorizer grants nodes these permissions, each only for its own objects.
  'system:node': [],
};

/** Bindings in system namespaces: namespace → role → subjects, and the binding's name where it differs. */
const NAMESPACED_SUBJECTS: Readonly<
  Record<string, { readonly binding?: string; readonly subjects: readonly Subject[] }>
> = {
  'system:controller:bootstrap-signer': { subjects: [serviceAccount('bootstrap-signer')] },
  'system:controller:cloud-provider': { subjects: [serviceAccount('cloud-provider')] },
  'system:controller:token-cleaner': { subjects: [serviceAccount('token-cleaner')] },
  'extension-apiserver-authentication-reader': {
    binding: 'system::extension-apiserver-authentication-reader',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler')],
  },
  'system::leader-locking-kube-controller-manager': {
    subjects: [
      user('system:kube-controller-manager'),
      serviceAccount('kube-controller-manager'),
      serviceAccount('leader-election-controller'),
    ],
  },
  'system::leader-locking-kube-scheduler': {
    subjects: [user('system:kube-scheduler'), serviceAccount('kube-scheduler')],
  },
};

/**
 * The roles and bindings for a new cluster: cluster-scoped ones first, and roles before bindings. Each call returns new
 * objects.
 */
export function bootstrapPolicy(): RbacObject[] {
  const controllers = Object.entries(controllerRoles).map(([name, rules]) =>
    clusterRole(`system:controller:${name}`, rules),
  );
  const controllerBindings = Object.keys(controllerRoles).map((name) =>
    clusterRoleBinding(`system:controller:${name}`, [serviceAccount(name)]),
  );
  return [
    ...Object.entries({ ...userRoles, ...componentRoles }).map(([name, rules]) => clusterRole(name, rules)),
    ...Object.entries(AGGREGATION_TARGETS).map(([name, aggregateTo]) => aggregatedRole(name, aggregateTo)),
    ...controllers,
    ...Object.entries(SUBJECTS).map(([name, subjects]) => clusterRoleBinding(name, subjects)),
    ...controllerBindings,
    ...Object.entries(namespacedRoles).flatMap(([namespace, roles]) =>
      Object.entries(roles).flatMap(([name, rules]) => namespaced(namespace, name, rules)),
    ),
  ];
}

function metadata(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [AUTOUPDATE]: 'true' },
  };
}

function clusterRole(name: string, rules: readonly PolicyRule[]): ClusterRole {
  const target = /^system:aggregate-to-(\w+)$/.exec(name)?.[1];
  const labels = target === undefined ? {} : { [`${RBAC}/aggregate-to-${target}`]: 'true' };
  return { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: metadata(name, labels), rules: copyOf(rules) };
}

function aggregatedRole(name: string, aggregateTo: string | undefined): ClusterRole {
  const labels = aggregateTo === undefined ? {} : { [`${RBAC}/aggregate-to-${aggregateTo}`]: 'true' };
  const selector = { matchLabels: { [`${RBAC}/aggregate-to-${name}`]: 'true' } };
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: metadata(name, labels),
    aggregationRule: { clusterRoleSelectors: [selector] },
    rules: [],
  };
}

function clusterRoleBinding(name: string, subjects: readonly Subject[]): ClusterRoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    ...(subjects.length > 0 && { subjects: copyOf(subjects) }),
  };
}

function namespaced(namespace: string, name: string, rules: readonly PolicyRule[]): [Role, RoleBinding] {
  const { binding = name, subjects } = NAMESPACED_SUBJECTS[name] ?? { subjects: [] };
  return [
    { apiVersion: API_VERSION, kind: 'Role', metadata: { ...metadata(name), namespace }, rules: copyOf(rules) },
    {
      apiVersion: API_VERSION,
      kind: 'RoleBinding',
      metadata: { ...metadata(binding), namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects: copyOf(subjects),
    },
  ];
}

function copyOf<T>(list: readonly T[]): T[] {
  return structuredClone([...list]);
}

function user(name: string): Subject {
  return { apiGroup: RBAC, kind: 'User', name };
}

function group(name: string): Subject {
  return { apiGroup: RBAC, kind: 'Group', name };
}

function serviceAccount(name: string): Subject {
  return { kind: 'ServiceAccount', name, namespace: 'kube-system' };
}
