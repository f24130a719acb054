import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { Expander } from './expander.ts';
import { PersistentVolumeReconciler } from './persistent-volume-reconciler.ts';
import type { StoredObject } from './storage-backend.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { readKey } from './storage-keys.ts';
import { type StorageScope, storageScope } from './storage-scope.ts';
import { storageOf } from './tenant-storage.ts';

/** Provisions claims that wait for a PersistentVolume. */
export interface ClaimProvisioner {
  /** Reconciles the claim `claimKey`, if it waits for a volume. */
  serve(key: string, claimKey: string, scope: StorageScope, context: ReconcileContext): Promise<Result>;
}

/** Reconciles the volumes or shares of all tenants' clusters; see Provisioner, Expander and PersistentVolumeReconciler. */
export class StorageReconciler<T extends StoredObject> {
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
    const isOfCluster = (clusterUid: string) => {
      const tenant = tenants.get(clusterUid);
      return tenant === undefined || isMatching(tenant.clusterKey);
    };
    storageWatch.forget(isOfCluster);
    builds.forget((item) => isOfCluster(item.slice(0, item.indexOf('/'))));
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { clusterUid, subject } = readKey(key);
    const scope = this.#scopeOf(clusterUid);
    if (scope === undefined) {
      if (subject.kind === 'volume') this.#forget({ clusterUid, object: subject.name });
      return {};
    }
    return this.#dependencies.limiter.runLimited(clusterUid, key, async () => {
      switch (subject.kind) {
        case 'claim':
          return storageOf(scope.tenant).claims.get(subject.claimKey)?.spec.volumeName
            ? this.#expander.serve(key, subject.claimKey, scope, context)
            : this.#provisioner.serve(key, subject.claimKey, scope, context);
        case 'volume':
          return this.#volumes.reconcile(key, subject.name, scope, context);
        case 'cluster':
          return this.#volumes.findOrphans(scope, context);
      }
    });
  }

  #forget(owner: StorageOwner): void {
    this.#dependencies.storageWatch.settle(owner);
    this.#dependencies.builds.abandon(storageKey(owner));
  }

  /** Undefined while the cluster must be left alone. */
  #scopeOf(clusterUid: string): StorageScope | undefined {
    return storageScope(this.#dependencies, clusterUid, (tenant) => {
      const { claims, volumes, classes } = storageOf(tenant);
      return claims.hasSynced && volumes.hasSynced && classes.hasSynced;
    });
  }
}
