import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { VolumeSnapshot } from '@fairway/kube/kinds/volume-snapshots';
import type { Volume } from '@fairway/openstack/types/block-storage';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { followSnapshots, type TenantSnapshots } from '../volume-snapshots/tenant-snapshots.ts';
import { AwaitedStorage } from './awaited-storage.ts';
import { ClusterTurns } from './cluster-turns.ts';
import { DRIVER } from './driver.ts';
import { isToExpand } from './expansion.ts';
import { StorageEvents } from './storage-events.ts';
import { claimSubject, clusterSubject, volumeSubject } from './storage-keys.ts';
import { StorageReconciler } from './storage-reconciler.ts';
import {
  claimsByClass,
  claimsBySnapshot,
  claimsBySource,
  storageOf,
  volumeNameOf,
  volumesByHandle,
} from './tenant-storage.ts';
import { VolumeBuilds } from './volume-builds.ts';
import { isToProvision } from './volume-plan.ts';

/** Keys of one cluster at a time. */
const TURNS = 5;

export const volumeController: Declaration = {
  name: 'volumes',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
  ],
  watches: ({ cache, tenants }) => [
    watch(cache.clusters, (cluster) => subjectsOf(tenants.get(identityOf(cluster))), {
      isRelevant: (old, cluster) =>
        isPaused(old) !== isPaused(cluster) || old.spec.credentialName !== cluster.spec.credentialName,
    }),
  ],
  ownerKey: (key, { tenants }) => tenants.get(key.split('/', 1)[0] ?? '')?.clusterKey,
  create(shared, enqueue) {
    const awaited = new AwaitedStorage<Volume>(enqueue);
    const turns = new ClusterTurns(TURNS, enqueue);
    const builds = new VolumeBuilds(shared);
    const events = new StorageEvents(shared);
    const reconciler = new StorageReconciler({ ...shared, awaited, builds, turns, events }, enqueue);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, { tenants }) {
    tenants.onConnect((tenant) => {
      listenTo(tenant, enqueue);
      followSnapshots(tenant, { begin: (kinds) => listenToSnapshots(tenant, kinds, enqueue) });
    });
  },
};

function listenTo(tenant: TenantCluster, enqueue: (key: string) => void): void {
  const { clusterUid } = tenant;
  const { claims, volumes, classes } = storageOf(tenant);
  const onClaim = (claim: PersistentVolumeClaim) => {
    const storageClass = classes.get(claim.spec.storageClassName ?? '');
    if (isToProvision(claim, storageClass) || isToExpand(claim)) enqueue(claimSubject(clusterUid, keyOf(claim)));
    for (const copy of claims.find(claimsBySource, keyOf(claim))) enqueue(claimSubject(clusterUid, keyOf(copy)));
  };
  claims.addHandler({
    onAdd: onClaim,
    onUpdate: (_, claim) => onClaim(claim),
    onDelete: (claim) => enqueue(volumeSubject(clusterUid, claim.spec.volumeName || volumeNameOf(claim))),
  });
  const onVolume = (volume: PersistentVolume) => {
    if (!isOurs(volume)) return;
    enqueue(volumeSubject(clusterUid, volume.metadata.name ?? ''));
    const { namespace, name } = volume.spec.claimRef ?? {};
    const claim = claims.get(`${namespace}/${name}`);
    if (claim && isToExpand(claim)) enqueue(claimSubject(clusterUid, keyOf(claim)));
  };
  volumes.addHandler({
    onAdd: onVolume,
    onUpdate: (_, volume) => onVolume(volume),
    onDelete(volume) {
      const { namespace, name } = volume.spec.claimRef ?? {};
      if (isOurs(volume) && namespace) enqueue(claimSubject(clusterUid, `${namespace}/${name}`));
    },
  });
  const onClass = ({ metadata, provisioner }: StorageClass) => {
    if (provisioner !== DRIVER) return;
    for (const claim of claims.find(claimsByClass, metadata.name ?? '')) onClaim(claim);
  };
  classes.addHandler({ onAdd: onClass, onUpdate: (_, storageClass) => onClass(storageClass) });
  // They may be listed before the tenant counts as connected, and are enqueued only then.
  void Promise.all([tenant.nodes, claims, volumes, classes].map((informer) => informer.whenSynced())).then(
    () => subjectsOf(tenant).forEach(enqueue),
    () => {},
  );
}

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

/** Keys of all that may be to do in a cluster. */
function subjectsOf(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  const { claims, volumes, classes } = storageOf(tenant);
  const waiting = claims
    .list()
    .filter((claim) => isToProvision(claim, classes.get(claim.spec.storageClassName ?? '')) || isToExpand(claim))
    .map((claim) => claimSubject(clusterUid, keyOf(claim)));
  const kept = volumes
    .list()
    .filter(isOurs)
    .map(({ metadata }) => volumeSubject(clusterUid, metadata.name ?? ''));
  return [clusterSubject(clusterUid), ...waiting, ...kept];
}

function isOurs({ spec }: PersistentVolume): boolean {
  return spec.csi?.driver === DRIVER;
}
