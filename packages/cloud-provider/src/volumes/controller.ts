import type { Volume } from '@fairway/openstack/types/block-storage';
import { AwaitedStorage } from './awaited-storage.ts';
import { ClusterTurns } from './cluster-turns.ts';
import { DRIVER } from './driver.ts';
import { volumeBackend } from './owned-volumes.ts';
import { Provisioner } from './provisioner.ts';
import { storageController } from './storage-controller.ts';
import { StorageEvents } from './storage-events.ts';
import { StorageReconciler } from './storage-reconciler.ts';
import { VolumeBuilds } from './volume-builds.ts';

/** Keys of one cluster at a time. */
const TURNS = 5;

export const volumeController = storageController({
  name: 'volumes',
  driver: DRIVER,
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
});
