import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ClusterRoleBindings, ClusterRoles, Namespaces, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { BENCH_USER } from '../api-server/servers.ts';

export const NAMESPACE = 'hostile';

/** Grants the benchmark's user write access in a namespace. */
export async function grantTenant(admin: KubeClient): Promise<void> {
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await admin.resource<KubeObject>(Namespaces).create(namespace);
  // Pods need the ServiceAccount; its controller is not part of the server.
  const account = { name: 'default', namespace: NAMESPACE };
  await admin.resource(ServiceAccounts).create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await admin.resource(ClusterRoles).create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'hostile' },
    rules: [{ apiGroups: [''], resources: ['configmaps', 'pods', 'secrets'], verbs: ['*'] }],
  });
  await admin.resource(ClusterRoleBindings).create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'hostile' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'hostile' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: BENCH_USER }],
  });
}
