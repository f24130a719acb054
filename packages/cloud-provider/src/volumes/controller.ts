import { plans } from '@fairway/api/kinds/plan';
import { keyOf } from '@fairway/kube/client/object-key';
import { READ } from '@fairway/kube/controller/rights';
import type { VolumeSnapshot } from '@fairway/kube/kinds/volume-snapshots';
import type { Volume } from '@fairway/openstack/types/block-storage';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { type TenantSnapshots, watchSnapshots } from '../volume-snapshots/tenant-snapshots.ts';
import { ClusterConcurrencyLimit } from './cluster-concurrency-limit.ts';
import { DRIVER } from './driver.ts';
import { volumeBackend } from './owned-volumes.ts';
import { Provisioner } from './provisioner.ts';
import { storageController } from './storage-controller.ts';
import { StorageEvents } from './storage-events.ts';
import { claimSubject, volumeSubject } from './storage-keys.ts';
import { StorageReconciler } from './storage-reconciler.ts';
import { StorageWatch } from './storage-watch.ts';
import { claimsBySnapshot, storageOf, volumesByHandle } from './tenant-storage.ts';
import { VolumeBuilds } from './volume-builds.ts';

/** Limit on the number of one cluster's keys that are reconciled at the same time. */
const MAX_CONCURRENT_KEYS = 5;

export const volumeController = storageController({
  name: 'volumes',
  driver: DRIVER,
  additionalRights: [{ type: plans, verbs: READ }],
  create(shared, enqueue) {
    const dependencies = {
      ...shared,
      backend: volumeBackend,
      storageWatch: new StorageWatch<Volume>(enqueue),
      limiter: new ClusterConcurrencyLimit(MAX_CONCURRENT_KEYS, enqueue),
      builds: new VolumeBuilds(shared),
      events: new StorageEvents({ ...shared, component: DRIVER }),
    };
    const reconciler = new StorageReconciler(dependencies, new Provisioner(dependencies), enqueue);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  onConnect(tenant, enqueue) {
    watchSnapshots(tenant, { begin: (kinds) => listenToSnapshots(tenant, kinds, enqueue) });
  },
});

/** Enqueues volumes to be created from a snapshot, and volumes that cannot be deleted because of one. */
function listenToSnapshots(
  tenant: TenantCluster,
  { snapshots, contents }: TenantSnapshots,
  enqueue: (key: string) => void,
): void {
  const { clusterUid } = tenant;
  const { claims, volumes } = storageOf(tenant);
  const onSnapshot = (snapshot: VolumeSnapshot) => {
    for (const claim of claims.find(claimsBySnapshot, keyOf(snapshot))) enqueue(claimSubject(clusterUid, keyOf(claim)));
  };
  snapshots.addHandler({ onAdd: onSnapshot, onUpdate: (_, snapshot) => onSnapshot(snapshot) });
  contents.addHandler({
    onDelete({ spec }) {
      const { volumeHandle } = spec.source;
      const held = volumeHandle ? volumes.find(volumesByHandle, volumeHandle) : [];
      for (const { metadata } of held) enqueue(volumeSubject(clusterUid, metadata.name ?? ''));
    },
  });
}
