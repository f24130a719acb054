import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ensureFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumes } from '@fairway/kube/kinds/resources';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import { reclaimPolicyOf, type StorageOwner, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey, storageObjectsOfCluster } from '@fairway/tenancy/cloud/storage-index';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { driverOf, VOLUME_FINALIZER } from './driver.ts';
import type { OwnedStorage } from './owned-storage.ts';
import type { StoredObject } from './storage-backend.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { volumeSubject } from './storage-keys.ts';
import type { StorageScope } from './storage-scope.ts';
import { claimsByVolume, storageOf } from './tenant-storage.ts';
import { stepFor } from './volume-state.ts';

/** How often to check for changes that the project's lists do not show, such as a server that detaches a volume. */
const BUSY_RETRY_MS = 60_000;
const FOREIGN_RETRY_MS = 900_000;

/**
 * Reconciles and deletes the volumes or shares of PersistentVolumes, as external-provisioner does.
 *
 * **Guarantees.** Only volumes with the tags of this cluster and this PersistentVolume are deleted or changed: a
 * PersistentVolume that someone created with the ID of another volume has no effect. The policy that applies once the
 * cluster is deleted is recorded on the volume itself.
 */
export class PersistentVolumeReconciler<T extends StoredObject> {
  readonly #dependencies: StorageDependencies<T>;
  readonly #enqueue: (key: string) => void;

  constructor(dependencies: StorageDependencies<T>, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#enqueue = enqueue;
  }

  /** `name` is a PersistentVolume, or a planned one for which a volume was already created. */
  async reconcile(key: string, name: string, scope: StorageScope, context: ReconcileContext): Promise<Result> {
    const { clock, events, backend } = this.#dependencies;
    const { tenant, cluster, cloud } = scope;
    const { volumes, claims } = storageOf(tenant);
    const volume = volumes.get(name);
    if (volume && driverOf(volume) !== backend.driver) return {};
    const unsupportedReason = volume && backend.unsupportedReason?.(volume);
    if (volume && unsupportedReason !== undefined) {
      events.warning(tenant, PersistentVolumes, volume, 'VolumeNotServed', unsupportedReason);
      return {};
    }
    const pass = new Pass(context, clock);
    const { value: own, failure } = await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      if (volume === undefined) {
        await this.#removeOrphan(key, name, scope, pass);
        return undefined;
      }
      const { namespace, name: claimName } = volume.spec.claimRef ?? {};
      const step = stepFor(volume, claims.get(`${namespace}/${claimName}`), backend.driver);
      if (step !== 'delete') return this.#recordPolicy(volume, step, scope, pass);
      await this.#delete(key, volume, scope, pass);
      return undefined;
    });
    if (failure && volume && failure.reason !== 'Provisioning') {
      const isDeleting = stepFor(volume, undefined, backend.driver) === 'delete';
      events.warning(
        tenant,
        PersistentVolumes,
        volume,
        isDeleting ? 'VolumeFailedDelete' : 'VolumeNotMarked',
        failure.message,
      );
    }
    if (volume && own) await this.#ensureBackend(key, volume, own, scope, pass);
    return pass.end();
  }

  /** Enqueues volumes of the cluster without a PersistentVolume, left by an interrupted run. */
  async findOrphans({ tenant, cluster, cloud }: StorageScope, context: ReconcileContext): Promise<Result> {
    const { backend } = this.#dependencies;
    const { classes, volumes } = storageOf(tenant);
    // If the cluster has no class for the driver, nothing was created.
    if (!classes.list().some(({ provisioner }) => provisioner === backend.driver)) return {};
    const pass = new Pass(context, this.#dependencies.clock);
    await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      const sinceMs = cloud.reliableFromMs(backend.ledgerOf(cloud), 60_000);
      // A cloud without this service has no items.
      const listed = await ignoreNotFound(backend.cacheOf(cloud).refreshAfter(sinceMs));
      if (listed === undefined) return;
      for (const stored of storageObjectsOfCluster(listed, tenant.clusterUid)) {
        const object = storageOwner(stored)?.object ?? '';
        if (reclaimPolicyOf(stored) === undefined && volumes.get(object) === undefined) {
          this.#enqueue(volumeSubject(tenant.clusterUid, object));
        }
      }
    });
    return pass.end();
  }

  async #delete(key: string, volume: PersistentVolume, scope: StorageScope, pass: Pass): Promise<void> {
    const { storageWatch, events, backend } = this.#dependencies;
    const { tenant, cloud } = scope;
    const owner = { clusterUid: tenant.clusterUid, object: volume.metadata.name ?? '' };
    const owned = await backend.ownedItems(cloud, owner, pass.signal);
    const foreign =
      owned.items.length + owned.deleting.length === 0
        ? await backend.findForeign(cloud, volume, pass.signal)
        : undefined;
    if (foreign !== undefined) {
      const message = `${backend.words.noun} ${foreign} was not created for this PersistentVolume, so Fairway does not delete it: delete it yourself, or set persistentVolumeReclaimPolicy to Retain`;
      events.warning(tenant, PersistentVolumes, volume, 'VolumeFailedDelete', message);
      pass.requeueAfter(FOREIGN_RETRY_MS);
      return;
    }
    if (await this.#remove(key, owner, owned, scope, pass, volume)) {
      storageWatch.settle(owner, 'deletion');
      await this.#removeObject(volume, scope, pass.signal);
    }
  }

  /** Deletes items with the owner's tags. Resolves with whether no such items remain. */
  async #remove(
    key: string,
    owner: StorageOwner,
    { items, deleting }: OwnedStorage<T>,
    { tenant, cloud }: StorageScope,
    pass: Pass,
    object?: PersistentVolume,
  ): Promise<boolean> {
    const { storageWatch, events, backend } = this.#dependencies;
    if (items.length + deleting.length === 0) return true;
    let isInProgress = deleting.length > 0;
    for (const item of items) {
      const held = backend.heldReason(item, tenant);
      if (held === undefined) isInProgress = true;
      if (held === undefined && item.status !== 'deleting') await backend.delete(cloud, item, pass.signal);
      if (held === undefined) continue;
      pass.requeueAfter(BUSY_RETRY_MS);
      const message = `${backend.words.noun} ${item.id} cannot be deleted yet: ${held}`;
      if (object) events.warning(tenant, PersistentVolumes, object, 'VolumeFailedDelete', message);
    }
    if (isInProgress) pass.requeueAfter(BUSY_RETRY_MS);
    storageWatch.expect(owner, key, backend.cacheOf(cloud), isInProgress ? 'deletion' : undefined);
    return false;
  }

  async #removeObject(volume: PersistentVolume, { tenant }: StorageScope, signal: AbortSignal): Promise<void> {
    const client = tenant.client.resource(PersistentVolumes);
    const { name = '', uid } = volume.metadata;
    await wrapTenantError(ignoreDeleted(client.delete(name, { signal, ...(uid !== undefined && { uid }) })));
    const current = await wrapTenantError(undefinedIfNotFound(client.get(name, { signal })));
    if (current !== undefined && current.metadata.uid === uid)
      await wrapTenantError(removeFinalizer(client, current, VOLUME_FINALIZER));
  }

  async #ensureBackend(key: string, volume: PersistentVolume, own: T, scope: StorageScope, pass: Pass): Promise<void> {
    const { backend, events } = this.#dependencies;
    const { failure } = await pass.run(async () => backend.ensureBackend?.(key, volume, own, scope, pass));
    if (failure === undefined || failure.reason === 'Provisioning') return;
    events.warning(scope.tenant, PersistentVolumes, volume, 'VolumeAccessFailed', failure.message);
  }

  /**
   * Records the PersistentVolume's policy on the volume before the PersistentVolume may be deleted. Resolves with the
   * volume.
   */
  async #recordPolicy(
    volume: PersistentVolume,
    step: 'none' | 'release' | 'protect',
    { tenant, cloud }: StorageScope,
    pass: Pass,
  ): Promise<T | undefined> {
    const { backend } = this.#dependencies;
    const owner = { clusterUid: tenant.clusterUid, object: volume.metadata.name ?? '' };
    const { items } = await backend.ownedItems(cloud, owner, pass.signal);
    const own = items.find((item) => backend.isBackedBy(volume, item));
    const policy = volume.spec.persistentVolumeReclaimPolicy === 'Delete' ? 'Delete' : 'Retain';
    if (own && reclaimPolicyOf(own) !== policy) {
      await backend.updateReclaimPolicy(cloud, owner, own, policy, pass.signal);
    }
    const client = tenant.client.resource(PersistentVolumes);
    if (step === 'protect' && own) await wrapTenantError(ensureFinalizer(client, volume, VOLUME_FINALIZER));
    if (step === 'release') await wrapTenantError(removeFinalizer(client, volume, VOLUME_FINALIZER));
    return own;
  }

  /** Deletes the volume of a claim that was deleted before its PersistentVolume was created. */
  async #removeOrphan(key: string, name: string, scope: StorageScope, pass: Pass): Promise<void> {
    const { storageWatch, backend, builds } = this.#dependencies;
    const { tenant, cloud } = scope;
    if (storageOf(tenant).claims.find(claimsByVolume, name).length > 0) return;
    const owner = { clusterUid: tenant.clusterUid, object: name };
    builds.abandon(storageKey(owner));
    const { items, deleting } = await backend.ownedItems(cloud, owner, pass.signal);
    const orphans = items.filter((item) => reclaimPolicyOf(item) === undefined);
    if (orphans.length > 0 && (await this.#exists(scope, name, pass.signal))) return;
    if (await this.#remove(key, owner, { items: orphans, deleting }, scope, pass))
      storageWatch.settle(owner, 'deletion');
  }

  /** Whether the PersistentVolume exists. Reads from the API server, because the cache may be stale. */
  async #exists({ tenant }: StorageScope, name: string, signal: AbortSignal): Promise<boolean> {
    const client = tenant.client.resource(PersistentVolumes);
    return (await wrapTenantError(undefinedIfNotFound(client.get(name, { signal })))) !== undefined;
  }
}
