import { GROUP, IN_CLUSTER_USER } from '@fairway/api/group';
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];

function clusterRole(name: string, aggregateTo: readonly string[], rules: ClusterRole['rules']): ClusterRole {
  const labels = aggregateTo.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    // With server-side apply, the applier would own an empty map of labels and conflict with the next applier.
    metadata: { name, ...(labels.length > 0 && { labels: Object.fromEntries(labels) }) },
    ...(rules && { rules }),
  };
}

/** Since 0.2.0. */
const NEWER_KINDS = ['usagerecords', 'projectquotas', 'auditevents', 'clusters/audit'];

const readOldTenantKinds = {
  apiGroups: [GROUP],
  resources: ['clusters', 'nodepools', 'machines', 'cloudcredentials', 'cloudprofiles', 'nodepools/scale'],
  verbs: READ,
};
const readTenantKinds = {
  ...readOldTenantKinds,
  resources: [...readOldTenantKinds.resources, ...NEWER_KINDS],
};
/** Requests that a member may make; the first has existed since 0.1.0. */
const MEMBER_REQUESTS = [
  'clusters/kubeconfig',
  'clusters/autoscalerconfig',
  'clusters/upgradeplan',
  'clusters/cloudresources',
  'cloudprofiles/quotas',
];
/** The requests as earlier releases shipped them. */
const OLD_MEMBER_REQUESTS = [1, 3, 4].map((count) => MEMBER_REQUESTS.slice(0, count));
/** The subset that a reader may make too, because these requests only read. */
const READER_REQUESTS = ['clusters/cloudresources', 'cloudprofiles/quotas'];

function requests(resources: string[]): PolicyRule {
  return { apiGroups: [GROUP], resources, verbs: ['create'] };
}

/** Rules of the reader role, as earlier releases shipped them. */
const OLD_READER_RULES: readonly PolicyRule[] = [
  readTenantKinds,
  { apiGroups: [''], resources: ['events'], verbs: READ },
];

/** The catalogue is cluster-scoped: a namespaced role can't grant it, so every authenticated user may read it. */
const readCatalogue = { apiGroups: [GROUP], resources: ['plans', 'kubernetesreleases'], verbs: READ };

/**
 * Tenants' permissions on Fairway's kinds: members manage clusters, readers read. Machines are created by
 * their pools, so tenants neither create nor update them; deleting one replaces it. Aggregated into Kubernetes' own admin, edit
 * and view.
 */
export const FAIRWAY_ROLES: readonly ClusterRole[] = [
  clusterRole(
    'fairway-member',
    ['admin', 'edit'],
    [
      readTenantKinds,
      { apiGroups: [GROUP], resources: ['clusters', 'nodepools', 'cloudcredentials'], verbs: WRITE },
      // The Secrets of CloudCredentials are write-only: a patch, even an empty one, and a deletion that waits for
      // dependents return the stored data.
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update'] },
      { apiGroups: [GROUP], resources: ['nodepools/scale'], verbs: ['update', 'patch'] },
      { apiGroups: [GROUP], resources: ['machines'], verbs: ['delete', 'deletecollection'] },
      requests(MEMBER_REQUESTS),
      { apiGroups: [''], resources: ['events'], verbs: READ },
    ],
  ),
  clusterRole('fairway-reader', ['view'], [...OLD_READER_RULES, requests(READER_REQUESTS)]),
  clusterRole('fairway-catalogue-reader', [], [readCatalogue]),
  // For users who change pools from within their clusters. Fairway sets the pool's name and cluster; admission
  // validates the other fields.
  clusterRole(
    'fairway-in-cluster',
    [],
    [{ apiGroups: [GROUP], resources: ['nodepools'], verbs: ['get', 'create', 'patch', 'delete'] }],
  ),
];

/**
 * Rules as earlier releases shipped them, each with its replacement: they granted too much, or lacked some of the
 * current requests.
 */
const RULE_REPLACEMENTS: Readonly<Record<string, readonly { readonly was: PolicyRule; readonly is: PolicyRule }[]>> = {
  'fairway-member': [
    {
      was: { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update', 'patch', 'delete'] },
      is: { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update'] },
    },
    ...OLD_MEMBER_REQUESTS.map((oldResources) => ({ was: requests(oldResources), is: requests(MEMBER_REQUESTS) })),
    { was: readOldTenantKinds, is: readTenantKinds },
  ],
  'fairway-reader': [
    { was: readOldTenantKinds, is: readTenantKinds },
    { was: requests(READER_REQUESTS.slice(0, 1)), is: requests(READER_REQUESTS) },
  ],
};

/** The role to store if one of its rules still matches what an earlier release shipped; undefined otherwise. */
export function withReplacedRules(role: ClusterRole): ClusterRole | undefined {
  const replacements = RULE_REPLACEMENTS[role.metadata.name ?? ''] ?? [];
  const currentRules = role.rules?.map((rule) => replacements.find(({ was }) => jsonEqual(was, rule))?.is ?? rule);
  const isShippedReader = role.metadata.name === 'fairway-reader' && jsonEqual(currentRules, OLD_READER_RULES);
  const rules = currentRules && isShippedReader ? [...currentRules, requests(READER_REQUESTS)] : currentRules;
  return rules === undefined || jsonEqual(rules, role.rules) ? undefined : { ...role, rules };
}

/** Roles that are initially bound cluster-wide. */
export const FAIRWAY_BINDINGS: readonly ClusterRoleBinding[] = [
  clusterRoleBinding('fairway-catalogue-reader', 'Group', 'system:authenticated'),
  clusterRoleBinding('fairway-in-cluster', 'User', IN_CLUSTER_USER),
];

function clusterRoleBinding(role: string, kind: 'Group' | 'User', name: string): ClusterRoleBinding {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind, name }],
  };
}
