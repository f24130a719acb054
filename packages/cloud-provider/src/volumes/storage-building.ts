import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CreateOptions } from './owned-storage.ts';
import type { StoredData } from './storage-backend.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { volumeNameOf } from './tenant-storage.ts';
import type { Build } from './volume-builds.ts';

const DELETION_RETRY_MS = 60_000;

/** A claim that waits for a volume, in its cluster. */
export interface WaitingClaim {
  readonly key: string;
  readonly tenant: TenantCluster;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

/** How one is made. */
export interface BuildSteps<T> {
  /** With the marks of its owner, in the call that makes it. */
  readonly create: (options: CreateOptions) => Promise<T>;
  /** What to say of one that ended in an error, before it is deleted. */
  readonly explain: (item: T) => Promise<string>;
}

export function buildOf({ tenant, claim, storageClass }: WaitingClaim): Build {
  const owner = { clusterUid: tenant.clusterUid, object: volumeNameOf(claim) };
  return { group: `${tenant.clusterUid}/${storageClass.metadata.name}`, item: storageKey(owner) };
}

/**
 * Makes what holds the data of a claim, a step at a time. Resolves with it once it can be used, and with undefined while it is on its way: the project's
 * list then brings the key back. One that the cloud fails to make is deleted and made anew. Rejects with what holds it up.
 */
export async function buildStorage<T extends StoredData>(
  { awaited, backend, builds, events }: StorageDependencies<T>,
  cloud: ProjectCloud,
  waiting: WaitingClaim,
  { create, explain }: BuildSteps<T>,
  pass: Pass,
): Promise<T | undefined> {
  const { signal } = pass;
  const { key, tenant, claim } = waiting;
  const owner = { clusterUid: tenant.clusterUid, object: volumeNameOf(claim) };
  const build = buildOf(waiting);
  const { items, deleting } = await backend.owned(cloud, owner, signal);
  const [item, ...doubles] = items;
  for (const double of doubles) await backend.delete(cloud, double, signal);
  if (item?.status === 'available') return item;
  if (item?.status === 'error_deleting') {
    awaited.settle(owner);
    const { service, project, noun } = backend.words;
    // Another one would end like it.
    const message = `${service}: ${project} could not make ${noun} ${item.id}, nor delete it: the operator of the cloud has to reset its status`;
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (item?.status === 'error') {
    const message = await explain(item);
    await backend.delete(cloud, item, signal);
    awaited.settle(owner);
    builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
  }
  if (item === undefined && deleting.length > 0) {
    awaited.expect(owner, key, backend.cacheOf(cloud), 'deletion');
    // It may fail at that before its deletion is known to be over.
    pass.againIn(DELETION_RETRY_MS);
    return undefined;
  }
  if (item === undefined) {
    awaited.settle(owner);
    const { namespace, name } = claim.metadata;
    const message = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
    events.normal(tenant, PersistentVolumeClaims, claim, 'Provisioning', message);
    const options = { signal, connection: tenant.signal, group: build.group };
    await builds.send(build, () => create(options));
  }
  awaited.expect(owner, key, backend.cacheOf(cloud), 'build');
  return undefined;
}
