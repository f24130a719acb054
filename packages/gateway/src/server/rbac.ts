import { GROUP } from '@fairway/api/group';
import type { ClusterRole, PolicyRule } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];

function clusterRole(name: string, aggregateTo: readonly string[], rules: ClusterRole['rules']): ClusterRole {
  const labels = aggregateTo.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    // An empty map of labels would be a field of whoever applies it, and so a conflict for the next.
    metadata: { name, ...(labels.length > 0 && { labels: Object.fromEntries(labels) }) },
    ...(rules && { rules }),
  };
}

const readTenantKinds = {
  apiGroups: [GROUP],
  resources: ['clusters', 'nodepools', 'machines', 'cloudcredentials', 'nodepools/scale'],
  verbs: READ,
};
/** The catalogue is cluster-scoped: a role of a namespace can't give it, so every authenticated user reads it. */
const readCatalogue = { apiGroups: [GROUP], resources: ['plans', 'kubernetesreleases'], verbs: READ };

/**
 * What tenants may do with Fairway's kinds: members what makes and unmakes clusters, readers look. Machines are made by
 * their pools, so nobody creates or changes one; deleting one replaces it. Aggregated into Kubernetes' own admin, edit
 * and view.
 */
export const FAIRWAY_ROLES: readonly ClusterRole[] = [
  clusterRole(
    'fairway-member',
    ['admin', 'edit'],
    [
      readTenantKinds,
      { apiGroups: [GROUP], resources: ['clusters', 'nodepools', 'cloudcredentials'], verbs: WRITE },
      // What a CloudCredential refers to is written, and never read back: a patch, even an empty one, and a deletion that waits for
      // dependents answer with what is stored.
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update'] },
      { apiGroups: [GROUP], resources: ['nodepools/scale'], verbs: ['update', 'patch'] },
      { apiGroups: [GROUP], resources: ['machines'], verbs: ['delete', 'deletecollection'] },
      { apiGroups: [GROUP], resources: ['clusters/kubeconfig'], verbs: ['create'] },
      { apiGroups: [''], resources: ['events'], verbs: READ },
    ],
  ),
  clusterRole('fairway-reader', ['view'], [readTenantKinds, { apiGroups: [''], resources: ['events'], verbs: READ }]),
  clusterRole('fairway-catalogue-reader', [], [readCatalogue]),
];

/** Rules that a shipped role had once and that gave too much, each with what stands in its place. */
const WITHDRAWN: Readonly<Record<string, readonly { readonly was: PolicyRule; readonly is: PolicyRule }[]>> = {
  'fairway-member': [
    {
      was: { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update', 'patch', 'delete'] },
      is: { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update'] },
    },
  ],
};

/** The role as it should be stored, where it still has a rule that is withdrawn; undefined where it has none. */
export function withoutWithdrawnRules(role: ClusterRole): ClusterRole | undefined {
  const withdrawn = WITHDRAWN[role.metadata.name ?? ''] ?? [];
  const rules = role.rules?.map((rule) => withdrawn.find(({ was }) => jsonEqual(was, rule))?.is ?? rule);
  return rules === undefined || jsonEqual(rules, role.rules) ? undefined : { ...role, rules };
}

export const CATALOGUE_BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'fairway-catalogue-reader' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-catalogue-reader' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
};
