import { plans } from '@fairway/api/kinds/plan';
import { keyOf } from '@fairway/kube/client/object-key';
import { READ } from '@fairway/kube/controller/rights';
import type { VolumeSnapshot } from '@fairway/kube/kinds/volume-snapshots';
import type { Volume } from '@fairway/openstack/types/block-storage';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { followSnapshots, type TenantSnapshots } from '../volume-snapshots/tenant-snapshots.ts';
import { AwaitedStorage } from './awaited-storage.ts';
import { ClusterTurns } from './cluster-turns.ts';
import { DRIVER } from './driver.ts';
import { volumeBackend } from './owned-volumes.ts';
import { Provisioner } from './provisioner.ts';
import { storageController } from './storage-controller.ts';
import { StorageEvents } from './storage-events.ts';
import { claimSubject, volumeSubject } from './storage-keys.ts';
import { StorageReconciler } from './storage-reconciler.ts';
import { claimsBySnapshot, storageOf, volumesByHandle } from './tenant-storage.ts';
import { VolumeBuilds } from './volume-builds.ts';

/** Keys of one cluster at a time. */
const TURNS = 5;

export const volumeController = storageController({
  name: 'volumes',
  driver: DRIVER,
  rights: [{ type: plans, verbs: READ }],
  create(shared, enqueue) {
    const dependencies = {
      ...shared,
      backend: volumeBackend,
      awaited: new AwaitedStorage<Volume>(enqueue),
      turns: new ClusterTurns(TURNS, enqueue),
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
    followSnapshots(tenant, { begin: (kinds) => listenToSnapshots(tenant, kinds, enqueue) });
  },
});

/** What is to be made from a snapshot, and what can't go because of one. */
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
