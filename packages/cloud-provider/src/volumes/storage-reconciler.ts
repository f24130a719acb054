import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { Expander } from './expander.ts';
import type { StoredData } from './storage-backend.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { readKey } from './storage-keys.ts';
import { type StoragePlace, storagePlace } from './storage-place.ts';
import { storageOf } from './tenant-storage.ts';
import { VolumeKeeper } from './volume-keeper.ts';

/** Serves claims that wait for a PersistentVolume. */
export interface ClaimProvisioner {
  /** For the claim `claimKey`, if it waits for one. */
  serve(key: string, claimKey: string, place: StoragePlace, context: ReconcileContext): Promise<Result>;
}

/** Makes and keeps the volumes or shares of all tenants' clusters; see Provisioner, Expander and VolumeKeeper. */
export class StorageReconciler<T extends StoredData> {
  readonly #dependencies: StorageDependencies<T>;
  readonly #provisioner: ClaimProvisioner;
  readonly #expander: Expander<T>;
  readonly #keeper: VolumeKeeper<T>;

  constructor(dependencies: StorageDependencies<T>, provisioner: ClaimProvisioner, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#provisioner = provisioner;
    this.#expander = new Expander(dependencies);
    this.#keeper = new VolumeKeeper(dependencies, enqueue);
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { awaited, builds, tenants } = this.#dependencies;
    const isForgotten = (clusterUid: string) => {
      const tenant = tenants.get(clusterUid);
      return tenant === undefined || isMatching(tenant.clusterKey);
    };
    awaited.forget(isForgotten);
    builds.forget((item) => isForgotten(item.slice(0, item.indexOf('/'))));
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { clusterUid, subject } = readKey(key);
    const place = this.#placeOf(clusterUid);
    if (place === undefined) {
      if (subject.kind === 'volume') this.#forget({ clusterUid, object: subject.name });
      return {};
    }
    return this.#dependencies.turns.take(clusterUid, key, async () => {
      switch (subject.kind) {
        case 'claim':
          return storageOf(place.tenant).claims.get(subject.claimKey)?.spec.volumeName
            ? this.#expander.serve(key, subject.claimKey, place, context)
            : this.#provisioner.serve(key, subject.claimKey, place, context);
        case 'volume':
          return this.#keeper.keep(key, subject.name, place, context);
        case 'cluster':
          return this.#keeper.findOrphans(place, context);
      }
    });
  }

  #forget(owner: StorageOwner): void {
    this.#dependencies.awaited.settle(owner);
    this.#dependencies.builds.abandon(storageKey(owner));
  }

  /** Undefined while nothing is to be done in the cluster. */
  #placeOf(clusterUid: string): StoragePlace | undefined {
    return storagePlace(this.#dependencies, clusterUid, (tenant) => {
      const { claims, volumes, classes } = storageOf(tenant);
      return claims.hasSynced && volumes.hasSynced && classes.hasSynced;
    });
  }
}
