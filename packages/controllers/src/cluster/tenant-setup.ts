import { NODE_BOOTSTRAPPERS_GROUP } from '@fairway/control-plane/bootstrap/bootstrap-token';
import { clusterAdminsBinding } from '@fairway/control-plane/kubeconfig';
import type { Informer } from '@fairway/kube/client/informer';
import type { ClusterRoleBinding } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

/** RBAC objects that Fairway adds to every tenant's cluster. The tenant may change them: they are recreated when missing, never overwritten. */
const TENANT_OBJECTS: readonly ClusterRoleBinding[] = [
  clusterAdminsBinding(),
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'fairway:node-bootstrappers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: NODE_BOOTSTRAPPERS_GROUP }],
  },
];

/**
 * Creates missing RBAC objects that let nodes request certificates, and users with Fairway's kubeconfigs log in.
 * Rejects with the signal's reason when it aborts.
 */
export async function setUpTenant(tenant: TenantCluster, signal: AbortSignal): Promise<void> {
  await Promise.all(
    TENANT_OBJECTS.map(async (binding) => {
      const { name = '' } = binding.metadata;
      const present = informerOf(tenant, name);
      await present.whenSynced(signal);
      if (present.get(name) === undefined) await create(tenant, binding, signal);
    }),
  );
}

/** Calls back whenever one of these objects is deleted: by the tenant, or by the restore of an older snapshot. */
export function onTenantSetupLost(tenant: TenantCluster, callback: () => void): void {
  for (const { metadata } of TENANT_OBJECTS) informerOf(tenant, metadata.name ?? '').addHandler({ onDelete: callback });
}

/** Watches only this name: a tenant may have any number of other objects. */
function informerOf({ informers }: TenantCluster, name: string): Informer<ClusterRoleBinding> {
  return informers.informer(ClusterRoleBindings, { fieldSelector: `metadata.name=${name}`, metadataOnly: true });
}

async function create({ client }: TenantCluster, binding: ClusterRoleBinding, signal: AbortSignal): Promise<void> {
  try {
    await client.resource(ClusterRoleBindings).create(binding, { signal });
  } catch (error) {
    // The cache is stale.
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
