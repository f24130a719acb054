import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { SnapshotDependencies } from './snapshot-dependencies.ts';

/** Writes part of the status of an object that may have been deleted in the meantime. Failures cause backoff. */
export function writeStatus<T extends KubeObject>(
  { attempts }: Pick<SnapshotDependencies, 'attempts'>,
  tenant: TenantCluster,
  type: ResourceType<T>,
  { metadata: { namespace, name = '', uid } }: T,
  status: object,
  signal: AbortSignal,
): Promise<void> {
  const value = { metadata: { uid }, status };
  const options = { ...(namespace !== undefined && { namespace }), subresource: 'status', signal };
  return attempts.withBackoff({ kind: 'write status of snapshots', item: `${tenant.clusterUid}/${uid}` }, () =>
    wrapTenantError(ignoreDeleted(tenant.client.resource(type).patch(name, { type: 'merge', value }, options))),
  );
}
