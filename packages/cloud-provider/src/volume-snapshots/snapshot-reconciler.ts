import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { UNKNOWN_PLAN_RETRY_MS } from '../volumes/claim-limits.ts';
import { storageScope } from '../volumes/storage-scope.ts';
import { storageOf } from '../volumes/tenant-storage.ts';
import { SnapshotContentReconciler } from './content-reconciler.ts';
import { SnapshotBinder } from './snapshot-binder.ts';
import type { SnapshotDependencies, SnapshotScope } from './snapshot-dependencies.ts';
import { readKey } from './snapshot-keys.ts';
import { isSynced, snapshotsOf } from './tenant-snapshots.ts';

/** Reconciles the snapshots of all tenants' clusters; see SnapshotBinder and SnapshotContentReconciler. */
export class SnapshotReconciler {
  readonly #dependencies: SnapshotDependencies;
  readonly #binder: SnapshotBinder;
  readonly #contents: SnapshotContentReconciler;

  constructor(dependencies: SnapshotDependencies, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#binder = new SnapshotBinder(dependencies);
    this.#contents = new SnapshotContentReconciler(dependencies, enqueue);
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
    const { cache, conventions, storageWatch, builds, limiter } = this.#dependencies;
    const { clusterUid, subject } = readKey(key);
    const found = this.#scopeOf(clusterUid);
    if (found === undefined) {
      if (subject.kind !== 'content') return {};
      const owner = { clusterUid, object: subject.name };
      storageWatch.settle(owner);
      builds.abandon(storageKey(owner));
      return {};
    }
    const limits = conventions.limitsOf(found.cluster, cache.plans);
    if (limits === undefined) return { requeueAfterMs: UNKNOWN_PLAN_RETRY_MS };
    const scope = { ...found, limits };
    return limiter.runLimited(clusterUid, key, async () => {
      switch (subject.kind) {
        case 'content':
          return this.#contents.reconcile(key, subject.name, scope, context);
        case 'snapshot':
          return this.#binder.bind(subject.snapshotKey, scope, context);
        case 'claim':
          return this.#binder.release(subject.claimKey, scope, context);
        case 'cluster':
          return this.#contents.findOrphans(scope, context);
      }
    });
  }

  /** Undefined while the cluster must be left alone. */
  #scopeOf(clusterUid: string): Omit<SnapshotScope, 'limits'> | undefined {
    const scope = storageScope(this.#dependencies, clusterUid, (tenant) => {
      const { claims, volumes } = storageOf(tenant);
      return claims.hasSynced && volumes.hasSynced;
    });
    const kinds = scope && snapshotsOf(scope.tenant);
    return scope && kinds && isSynced(kinds) ? { ...scope, kinds } : undefined;
  }
}
