import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CreateOptions } from './owned-storage.ts';
import type { StoredObject } from './storage-backend.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { volumeNameOf } from './tenant-storage.ts';
import type { Build } from './volume-builds.ts';

const DELETION_RETRY_MS = 60_000;

/** A claim waiting for a volume, with its cluster. */
export interface WaitingClaim {
  readonly key: string;
  readonly tenant: TenantCluster;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

/** How to create an item. */
export interface BuildSteps<T> {
  /** Creates the item with the owner's tags in the create call. */
  readonly create: (options: CreateOptions) => Promise<T>;
  /** The message for an item that ended in an error, before it is deleted. */
  readonly failureMessage: (item: T) => Promise<string>;
}

export function buildOf({ tenant, claim, storageClass }: WaitingClaim): Build {
  const owner = { clusterUid: tenant.clusterUid, object: volumeNameOf(claim) };
  return { group: `${tenant.clusterUid}/${storageClass.metadata.name}`, item: storageKey(owner) };
}

/**
 * Creates the storage of a claim, one step at a time. Resolves with the storage once it is usable, and with undefined
 * while it is being created: the project's list then enqueues the key again. Failed storage is deleted and recreated.
 * Rejects with the error that blocks the creation.
 */
export async function buildStorage<T extends StoredObject>(
  { storageWatch, backend, builds, events }: StorageDependencies<T>,
  cloud: ProjectCloud,
  waiting: WaitingClaim,
  { create, failureMessage }: BuildSteps<T>,
  pass: Pass,
): Promise<T | undefined> {
  const { signal } = pass;
  const { key, tenant, claim } = waiting;
  const owner = { clusterUid: tenant.clusterUid, object: volumeNameOf(claim) };
  const build = buildOf(waiting);
  const { items, deleting } = await backend.ownedItems(cloud, owner, signal);
  const [item, ...duplicates] = items;
  for (const duplicate of duplicates) await backend.delete(cloud, duplicate, signal);
  if (item?.status === 'available') return item;
  if (item?.status === 'error_deleting') {
    storageWatch.settle(owner);
    const { service, project, noun } = backend.words;
    // Creating another item would fail the same way.
    const message = `${service}: ${project} failed to create ${noun} ${item.id} and to delete it: the cloud operator must reset its status`;
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (item?.status === 'error') {
    const message = await failureMessage(item);
    await backend.delete(cloud, item, signal);
    storageWatch.settle(owner);
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (item === undefined && deleting.length > 0) {
    storageWatch.expect(owner, key, backend.cacheOf(cloud), 'deletion');
    // The deletion may still fail, so check again.
    pass.requeueAfter(DELETION_RETRY_MS);
    return undefined;
  }
  if (item === undefined) {
    storageWatch.settle(owner);
    const { namespace, name } = claim.metadata;
    const message = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
    events.normal(tenant, PersistentVolumeClaims, claim, 'Provisioning', message);
    const options = { signal, connection: tenant.signal, group: build.group };
    await builds.send(build, () => create(options));
  }
  storageWatch.expect(owner, key, backend.cacheOf(cloud), 'build');
  return undefined;
}
