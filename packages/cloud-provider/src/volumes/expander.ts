import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes } from '@fairway/kube/kinds/resources';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { type ExpansionStep, expansionStep, statusOf } from './expansion.ts';
import { GuestSizes } from './guest-sizes.ts';
import type { StoredObject } from './storage-backend.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import type { StorageScope } from './storage-scope.ts';
import { storageOf } from './tenant-storage.ts';

/** How often to check for changes that the project's lists do not show. */
const BUSY_RETRY_MS = 60_000;

/**
 * Extends volumes and shares when their claims grow, as external-resizer does with upstream's drivers: first in the
 * cloud, attached or not, then in the PersistentVolume. The kubelet extends a volume's file system and records the new
 * size in the claim.
 */
export class Expander<T extends StoredObject> {
  readonly #dependencies: StorageDependencies<T>;
  readonly #guestSizes = new GuestSizes();

  constructor(dependencies: StorageDependencies<T>) {
    this.#dependencies = dependencies;
  }

  async serve(key: string, claimKey: string, scope: StorageScope, context: ReconcileContext): Promise<Result> {
    const { clock, events, backend } = this.#dependencies;
    const { driver } = backend;
    const { tenant, cluster, cloud } = scope;
    const { claims, volumes, classes } = storageOf(tenant);
    const claim = claims.get(claimKey);
    const volume = volumes.get(claim?.spec.volumeName ?? '');
    const storageClass = classes.get(claim?.spec.storageClassName ?? '');
    const step = claim && volume && expansionStep(claim, volume, storageClass, driver);
    if (claim === undefined || volume === undefined || step === undefined) return {};
    if (step.kind === 'refuse') {
      events.warning(tenant, PersistentVolumeClaims, claim, 'VolumeResizeFailed', step.message);
      return {};
    }
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      if (step.kind === 'extend' && !(await this.#extend(key, claim, volume, step, scope, pass))) return;
      await this.#reportResized(tenant, claim, step, pass.signal);
    });
    if (failure && failure.reason !== 'Provisioning') {
      const message = `resize volume "${volume.metadata.name}" by resizer "${driver}" failed: ${failure.message}`;
      events.warning(tenant, PersistentVolumeClaims, claim, 'VolumeResizeFailed', message);
    }
    return pass.end();
  }

  /** Resolves with whether both the volume and the PersistentVolume have the requested size. */
  async #extend(
    key: string,
    claim: PersistentVolumeClaim,
    object: PersistentVolume,
    step: Extract<ExpansionStep, { kind: 'extend' }>,
    { tenant, cloud }: StorageScope,
    pass: Pass,
  ): Promise<boolean> {
    const { storageWatch, clock, events, backend } = this.#dependencies;
    const owner = { clusterUid: tenant.clusterUid, object: object.metadata.name ?? '' };
    const { items } = await backend.ownedItems(cloud, owner, pass.signal);
    const volume = items.find((item) => backend.isBackedBy(object, item));
    if (volume === undefined)
      throw new ProblemError({ reason: 'ConfigurationInvalid', message: FOREIGN_VOLUME_MESSAGE });
    if (volume.size < step.sizeGiB || volume.status === 'extending') {
      await this.#begin(cloud, owner, volume, step.sizeGiB, pass);
      const message = `External resizer is resizing volume ${owner.object}`;
      events.normal(tenant, PersistentVolumeClaims, claim, 'Resizing', message);
      await this.#writeStatus(tenant, claim, 'Resizing', pass.signal);
      storageWatch.expect(owner, key, backend.cacheOf(cloud), 'build');
      pass.requeueAfter(BUSY_RETRY_MS);
      return false;
    }
    storageWatch.settle(owner, 'build');
    const waitsForNode =
      backend.expansion.needsNodeExpansion(claim.spec.volumeMode) && backend.expansion.isInUse(volume);
    const remainingMs = waitsForNode ? this.#guestSizes.remainingMs(volume.id, volume.size, clock.now()) : 0;
    if (remainingMs > 0) {
      pass.requeueAfter(remainingMs);
      return false;
    }
    await this.#writeCapacity(tenant, object, `${volume.size}Gi`, pass.signal);
    return true;
  }

  async #begin(cloud: ProjectCloud, owner: StorageOwner, volume: T, sizeGiB: number, pass: Pass): Promise<void> {
    const { storageWatch, backend } = this.#dependencies;
    const { expansion, words } = backend;
    const { id, status } = volume;
    if (status === 'extending') return;
    if (expansion.extendableStatuses.has(status)) return backend.extend(cloud, owner, volume, sizeGiB, pass.signal);
    storageWatch.settle(owner);
    const hasFailed = status === expansion.failed;
    const what = hasFailed ? 'failed to extend it: the cloud operator must reset its' : 'has it in';
    pass.requeueAfter(BUSY_RETRY_MS);
    const end = hasFailed ? 'status' : `status ${status}`;
    const message = `${words.service}: ${words.noun} ${id}: ${words.project} ${what} ${end}`;
    throw new ProblemError({ reason: 'CloudUnavailable', message });
  }

  async #writeCapacity(tenant: TenantCluster, volume: PersistentVolume, storage: string, signal: AbortSignal) {
    const { name = '', uid } = volume.metadata;
    const value = { metadata: { uid }, spec: { capacity: { storage } } };
    await this.#write(`${tenant.clusterUid}/${name}`, () =>
      wrapTenantError(
        ignoreDeleted(tenant.client.resource(PersistentVolumes).patch(name, { type: 'merge', value }, { signal })),
      ),
    );
  }

  /** Updates the claim's status once the volume has reached the size. */
  async #reportResized(tenant: TenantCluster, claim: PersistentVolumeClaim, step: ExpansionStep, signal: AbortSignal) {
    const { events, backend } = this.#dependencies;
    if (!backend.expansion.needsNodeExpansion(claim.spec.volumeMode)) {
      await this.#writeStatus(tenant, claim, { storage: step.storage }, signal);
      events.normal(tenant, PersistentVolumeClaims, claim, 'VolumeResizeSuccessful', 'Resize volume succeeded');
      return;
    }
    await this.#writeStatus(tenant, claim, 'FileSystemResizePending', signal);
    const message = 'Require file system resize of volume on node';
    events.normal(tenant, PersistentVolumeClaims, claim, 'FileSystemResizeRequired', message);
  }

  async #writeStatus(
    tenant: TenantCluster,
    claim: PersistentVolumeClaim,
    state: Parameters<typeof statusOf>[1],
    signal: AbortSignal,
  ): Promise<void> {
    const status = statusOf(claim, state, this.#dependencies.clock.now());
    if (status === undefined) return;
    const { name = '', namespace = '', uid, resourceVersion } = claim.metadata;
    const value = { metadata: { uid, resourceVersion }, status };
    const options = { namespace, signal, subresource: 'status' };
    const claims = tenant.client.resource(PersistentVolumeClaims);
    await this.#write(`${tenant.clusterUid}/${uid}`, () =>
      wrapTenantError(ignoreDeleted(claims.patch(name, { type: 'merge', value }, options))),
    );
  }

  #write(item: string, write: () => Promise<void>): Promise<void> {
    return this.#dependencies.attempts.withBackoff({ kind: 'write size', item }, write);
  }
}

const FOREIGN_VOLUME_MESSAGE = 'its volume was not created for this PersistentVolume, so Fairway does not change it';
