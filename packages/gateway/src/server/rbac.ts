import { GROUP } from '@fairway/api/group';
import type { ClusterRole } from '@fairway/kube/kinds/generated/types';

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
      // What a CloudCredential refers to is written, and never read back.
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update', 'patch', 'delete'] },
      { apiGroups: [GROUP], resources: ['nodepools/scale'], verbs: ['update', 'patch'] },
      { apiGroups: [GROUP], resources: ['machines'], verbs: ['delete', 'deletecollection'] },
      { apiGroups: [GROUP], resources: ['clusters/kubeconfig'], verbs: ['create'] },
      { apiGroups: [''], resources: ['events'], verbs: READ },
    ],
  ),
  clusterRole('fairway-reader', ['view'], [readTenantKinds, { apiGroups: [''], resources: ['events'], verbs: READ }]),
  clusterRole('fairway-catalogue-reader', [], [readCatalogue]),
];

export const CATALOGUE_BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'fairway-catalogue-reader' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-catalogue-reader' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
};
