import { NODE_BOOTSTRAPPERS_GROUP } from '@fairway/control-plane/bootstrap/bootstrap-token';
import { clusterAdminsBinding } from '@fairway/control-plane/kubeconfig';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ClusterRoleBinding } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

/** What every tenant's cluster holds beside what Kubernetes itself puts there. The tenant may change it: it is made when it is missing, never overwritten. */
function tenantObjects(): readonly ClusterRoleBinding[] {
  return [
    clusterAdminsBinding(),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'fairway:node-bootstrappers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: NODE_BOOTSTRAPPERS_GROUP }],
    },
  ];
}

/** Lets nodes ask for certificates and users with Fairway's kubeconfigs in. Idempotent. */
export async function setUpTenant(client: KubeClient): Promise<void> {
  await Promise.all(tenantObjects().map((binding) => createIfMissing(client, binding)));
}

async function createIfMissing(client: KubeClient, binding: ClusterRoleBinding): Promise<void> {
  try {
    await client.resource(ClusterRoleBindings).create(binding);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
