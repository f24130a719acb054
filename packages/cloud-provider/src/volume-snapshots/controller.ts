import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { watch } from '@fairway/kube/controller/declaration';
import { hasFinalizer } from '@fairway/kube/controller/finalizers';
import { READ } from '@fairway/kube/controller/rights';
import type { PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import type { VolumeSnapshot as CinderSnapshot } from '@fairway/openstack/types/block-storage';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { EventDeduplicator } from '../tenant-events.ts';
import { ClusterConcurrencyLimit } from '../volumes/cluster-concurrency-limit.ts';
import { DRIVER } from '../volumes/driver.ts';
import { StorageEvents } from '../volumes/storage-events.ts';
import { StorageWatch } from '../volumes/storage-watch.ts';
import { claimsBySnapshot, storageOf } from '../volumes/tenant-storage.ts';
import { VolumeBuilds } from '../volumes/volume-builds.ts';
import { claimSubject, clusterSubject, contentSubject, snapshotSubject } from './snapshot-keys.ts';
import { CLAIM_FINALIZER } from './snapshot-names.ts';
import { SnapshotReconciler } from './snapshot-reconciler.ts';
import {
  pendingByClass,
  snapshotsOf,
  type TenantSnapshots,
  unreadyByClaim,
  unreadyByClass,
  watchSnapshots,
} from './tenant-snapshots.ts';

/** Limit on the number of one cluster's keys that are reconciled at the same time. */
const MAX_CONCURRENT_KEYS = 5;

export const volumeSnapshotController: Declaration = {
  name: 'volume-snapshots',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
  ],
  watches: ({ cache, tenants }) => [
    watch(cache.clusters, (cluster) => pendingSubjects(tenants.get(identityOf(cluster))), {
      isRelevant: (old, cluster) =>
        isPaused(old) !== isPaused(cluster) || old.spec.credentialName !== cluster.spec.credentialName,
    }),
  ],
  ownerKey: (key, { tenants }) => tenants.get(key.split('/', 1)[0] ?? '')?.clusterKey,
  create(shared, enqueue) {
    const storageWatch = new StorageWatch<CinderSnapshot>(enqueue);
    const limiter = new ClusterConcurrencyLimit(MAX_CONCURRENT_KEYS, enqueue);
    const builds = new VolumeBuilds(shared);
    const events = new StorageEvents({ ...shared, component: DRIVER });
    const recorded = new EventDeduplicator(shared.clock);
    const reconciler = new SnapshotReconciler({ ...shared, storageWatch, builds, limiter, events, recorded }, enqueue);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, { tenants }) {
    tenants.onConnect((tenant) => {
      const enqueueAll = () => pendingSubjects(tenant).forEach(enqueue);
      watchSnapshots(tenant, { begin: (kinds) => watchKinds(tenant, kinds, enqueue), change: enqueueAll });
      const { claims } = storageOf(tenant);
      const onClaim = (claim: PersistentVolumeClaim) => enqueueSnapshotsOf(tenant, claim, enqueue);
      claims.addHandler({ onAdd: onClaim, onUpdate: (_, claim) => onClaim(claim), onDelete: onClaim });
    });
  },
};

/** Enqueues snapshots that wait for a claim or use it. */
function enqueueSnapshotsOf(tenant: TenantCluster, claim: PersistentVolumeClaim, enqueue: (key: string) => void): void {
  const kinds = snapshotsOf(tenant);
  if (kinds === undefined) return;
  const { clusterUid } = tenant;
  for (const snapshot of kinds.snapshots.find(unreadyByClaim, keyOf(claim))) {
    enqueue(snapshotSubject(clusterUid, keyOf(snapshot)));
  }
  for (const source of claimsBySnapshot.valuesOf({ ...claim, spec: { ...claim.spec, volumeName: '' } })) {
    if (kinds.snapshots.get(source)?.metadata.deletionTimestamp) enqueue(snapshotSubject(clusterUid, source));
  }
  if (hasFinalizer(claim, CLAIM_FINALIZER)) enqueue(claimSubject(clusterUid, keyOf(claim)));
}

function watchKinds(tenant: TenantCluster, kinds: TenantSnapshots, enqueue: (key: string) => void): void {
  const { clusterUid } = tenant;
  const { snapshots, contents, classes } = kinds;
  const onSnapshot = (snapshot: VolumeSnapshot) => {
    enqueue(snapshotSubject(clusterUid, keyOf(snapshot)));
    const { namespace } = snapshot.metadata;
    const claim = storageOf(tenant).claims.get(`${namespace}/${snapshot.spec.source.persistentVolumeClaimName}`);
    if (claim && hasFinalizer(claim, CLAIM_FINALIZER)) enqueue(claimSubject(clusterUid, keyOf(claim)));
  };
  snapshots.addHandler({
    onAdd: onSnapshot,
    onUpdate: (_, snapshot) => onSnapshot(snapshot),
    onDelete(snapshot) {
      onSnapshot(snapshot);
      const { boundVolumeSnapshotContentName: name } = snapshot.status ?? {};
      if (name) enqueue(contentSubject(clusterUid, name));
    },
  });
  const onContent = ({ metadata, spec }: VolumeSnapshotContent) => {
    if (spec.driver === DRIVER) enqueue(contentSubject(clusterUid, metadata.name ?? ''));
    const { namespace, name } = spec.volumeSnapshotRef;
    if (namespace && name) enqueue(snapshotSubject(clusterUid, `${namespace}/${name}`));
  };
  contents.addHandler({ onAdd: onContent, onUpdate: (_, content) => onContent(content), onDelete: onContent });
  const onClass = ({ metadata, driver }: VolumeSnapshotClass) => {
    if (driver !== DRIVER) return;
    for (const name of [metadata.name ?? '', '']) {
      for (const snapshot of snapshots.find(unreadyByClass, name)) {
        enqueue(snapshotSubject(clusterUid, keyOf(snapshot)));
      }
    }
    for (const content of contents.find(pendingByClass, metadata.name ?? '')) {
      enqueue(contentSubject(clusterUid, content.metadata.name ?? ''));
    }
  };
  classes.addHandler({ onAdd: onClass, onUpdate: (_, snapshotClass) => onClass(snapshotClass) });
  const { claims, volumes } = storageOf(tenant);
  const informers = [tenant.nodes, claims, volumes, snapshots, contents, classes];
  // Objects may be listed before the tenant is considered connected, so they are enqueued afterwards.
  void Promise.all(informers.map((informer) => informer.whenSynced(tenant.signal))).then(
    () => pendingSubjects(tenant).forEach(enqueue),
    () => {},
  );
}

/** Keys of everything that may need work in a cluster. */
function pendingSubjects(tenant: TenantCluster | undefined): readonly string[] {
  const kinds = tenant && snapshotsOf(tenant);
  if (kinds === undefined) return [];
  const { clusterUid } = tenant as TenantCluster;
  return [
    clusterSubject(clusterUid),
    ...kinds.contents
      .list()
      .filter(({ spec }) => spec.driver === DRIVER)
      .map(({ metadata }) => contentSubject(clusterUid, metadata.name ?? '')),
    ...kinds.snapshots.list().map((snapshot) => snapshotSubject(clusterUid, keyOf(snapshot))),
    ...storageOf(tenant as TenantCluster)
      .claims.list()
      .filter((claim) => hasFinalizer(claim, CLAIM_FINALIZER))
      .map((claim) => claimSubject(clusterUid, keyOf(claim))),
  ];
}
