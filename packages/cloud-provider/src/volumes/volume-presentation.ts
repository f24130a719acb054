import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { TenantApiError, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { StoredObject } from './storage-backend.ts';
import { buildOf, type WaitingClaim } from './storage-creation.ts';
import type { StorageDependencies } from './storage-dependencies.ts';

/**
 * Creates the PersistentVolume and reports it on the claim. Rejects if a PersistentVolume with this name exists for
 * a different purpose.
 */
export async function createPersistentVolume<T extends StoredObject>(
  { attempts, storageWatch, backend, builds, events }: StorageDependencies<T>,
  waiting: WaitingClaim,
  item: T,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<void> {
  const { tenant, claim } = waiting;
  const name = volume.metadata.name ?? '';
  storageWatch.settle({ clusterUid: tenant.clusterUid, object: name }, 'build');
  builds.succeeded(buildOf(waiting));
  const client = tenant.client.resource(PersistentVolumes);
  await attempts.withBackoff({ kind: 'present volume', item: `${tenant.clusterUid}/${name}` }, async () => {
    try {
      await wrapTenantError(client.create(volume, { signal }));
    } catch (error) {
      if (!(error instanceof TenantApiError && isApiError(error.cause, 'AlreadyExists'))) throw error;
      if (backend.isBackedBy(await wrapTenantError(client.get(name, { signal })), item)) return;
      const message = `PersistentVolume ${name} already exists, but not for the ${backend.words.noun} created for the claim: delete one of them`;
      throw new ProblemError({ reason: 'ConfigurationInvalid', message });
    }
  });
  const message = `Successfully provisioned volume ${name}`;
  events.normal(tenant, PersistentVolumeClaims, claim, 'ProvisioningSucceeded', message);
}
