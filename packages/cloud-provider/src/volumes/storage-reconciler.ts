import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { Expander } from './expander.ts';
import { PersistentVolumeReconciler } from './persistent-volume-reconciler.ts';
import type { StoredData } from './storage-backend.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { readKey } from './storage-keys.ts';
import { type StoragePlace, storagePlace } from './storage-place.ts';
import { storageOf } from './tenant-storage.ts';

/** Serves claims that wait for a PersistentVolume. */
export interface ClaimProvisioner {
  /** For the claim `claimKey`, if it waits for a volume. */
  serve(key: string, claimKey: string, place: StoragePlace, context: ReconcileContext): Promise<Result>;
}

/** Reconciles the volumes or shares of all tenants' clusters; see Provisioner, Expander and PersistentVolumeReconciler. */
export class StorageReconciler<T extends StoredData> {
  readonly #dependencies: StorageDependencies<T>;
  readonly #provisioner: ClaimProvisioner;
  readonly #expander: Expander<T>;
  readonly #volumes: PersistentVolumeReconciler<T>;

  constructor(dependencies: StorageDependencies<T>, provisioner: ClaimProvisioner, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#provisioner = provisioner;
    this.#expander = new Expander(dependencies);
    this.#volumes = new PersistentVolumeReconciler(dependencies, enqueue);
  }

  /** Drops the state of clusters that another replica takes over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { storageWatch, builds, tenants } = this.#dependencies;
    const isForgotten = (clusterUid: string) => {
      const tenant = tenants.get(clusterUid);
      return tenant === undefined || isMatching(tenant.clusterKey);
    };
    storageWatch.forget(isForgotten);
    builds.forget((item) => isForgotten(item.slice(0, item.indexOf('/'))));
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { clusterUid, subject } = readKey(key);
    const place = this.#placeOf(clusterUid);
    if (place === undefined) {
      if (subject.kind === 'volume') this.#forget({ clusterUid, object: subject.name });
      return {};
    }
    return this.#dependencies.limiter.take(clusterUid, key, async () => {
      switch (subject.kind) {
        case 'claim':
          return storageOf(place.tenant).claims.get(subject.claimKey)?.spec.volumeName
            ? this.#expander.serve(key, subject.claimKey, place, context)
            : this.#provisioner.serve(key, subject.claimKey, place, context);
        case 'volume':
          return this.#volumes.reconcile(key, subject.name, place, context);
        case 'cluster':
          return this.#volumes.findOrphans(place, context);
      }
    });
  }

  #forget(owner: StorageOwner): void {
    this.#dependencies.storageWatch.settle(owner);
    this.#dependencies.builds.abandon(storageKey(owner));
  }

  /** Undefined while the cluster must be left alone. */
  #placeOf(clusterUid: string): StoragePlace | undefined {
    return storagePlace(this.#dependencies, clusterUid, (tenant) => {
      const { claims, volumes, classes } = storageOf(tenant);
      return claims.hasSynced && volumes.hasSynced && classes.hasSynced;
    });
  }
}
