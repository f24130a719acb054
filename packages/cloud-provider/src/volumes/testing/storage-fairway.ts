import { seededRandom } from '@fairway/base/testing/seeded-random';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { TestFairway, type TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import {
  Events,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
} from '@fairway/kube/kinds/resources';
import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  VolumeSnapshotClasses,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '@fairway/kube/kinds/volume-snapshots';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { VolumeSnapshot as CinderSnapshot, Volume } from '@fairway/openstack/types/block-storage';
import { createCloudProvider } from '../../start.ts';
import { aClass } from './objects.ts';
import { bindVolumes } from './tenant-binder.ts';

/** A Fairway instance with the cloud provider and a cluster `demo`, on a test clock. */
export class StorageFairway implements AsyncDisposable {
  readonly clock: SteppingClock;
  readonly fairway: TestFairway;
  readonly clusterUid: string;
  readonly #stopCallbacks: (() => void)[];

  private constructor(
    clock: SteppingClock,
    fairway: TestFairway,
    clusterUid: string,
    stopCallbacks: (() => void)[] = [],
  ) {
    this.#stopCallbacks = stopCallbacks;
    this.clock = clock;
    this.fairway = fairway;
    this.clusterUid = clusterUid;
  }

  static async start(
    storageClass: Partial<StorageClass> = {},
    options: TestFairwayOptions = {},
  ): Promise<StorageFairway> {
    const clock = new SteppingClock();
    const random = seededRandom(53);
    const runnables: TestFairwayOptions['runnables'] = (parts) => createCloudProvider(parts);
    const fairway = await TestFairway.start({ clock, random, runnables, ...options });
    const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }));
    const storage = new StorageFairway(clock, fairway, cluster.metadata.uid ?? '');
    await storage.begin(storageClass);
    return storage;
  }

  /** The same Fairway instance, with another cluster as the subject. */
  in(clusterUid: string): StorageFairway {
    return new StorageFairway(this.clock, this.fairway, clusterUid, this.#stopCallbacks);
  }

  /** Runs Kubernetes' volume controllers in the cluster, and creates a class of the driver. */
  async begin(storageClass: Partial<StorageClass> = {}): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' }, spec: {} };
    await this.client.resource(Namespaces).create(namespace);
    this.#stopCallbacks.push(bindVolumes(this.fairway, this.clusterUid));
    await this.create(aClass(storageClass));
    await this.clock.pass(1_000);
  }

  get client() {
    return this.fairway.runtime.client(this.clusterUid);
  }

  async create(
    object:
      | PersistentVolume
      | PersistentVolumeClaim
      | StorageClass
      | VolumeSnapshot
      | VolumeSnapshotContent
      | VolumeSnapshotClass,
  ): Promise<void> {
    const types: Readonly<Record<string, ResourceType>> = {
      VolumeSnapshot: VolumeSnapshots,
      VolumeSnapshotContent: VolumeSnapshotContents,
      VolumeSnapshotClass: VolumeSnapshotClasses,
      PersistentVolume: PersistentVolumes,
      PersistentVolumeClaim: PersistentVolumeClaims,
      StorageClass: StorageClasses,
    };
    const type = types[object.kind ?? ''];
    if (type === undefined) throw new Error(`no such kind: ${object.kind}`);
    await this.client.resource<KubeObject>(type).create(object);
  }

  claim(name = 'data'): Promise<PersistentVolumeClaim | undefined> {
    return undefinedIfNotFound(this.client.resource(PersistentVolumeClaims).get(name, { namespace: 'default' }));
  }

  async deleteClaim(name = 'data'): Promise<void> {
    await this.client.resource(PersistentVolumeClaims).delete(name, { namespace: 'default' });
  }

  async persistentVolumes(): Promise<readonly PersistentVolume[]> {
    return (await this.client.resource(PersistentVolumes).list()).items;
  }

  /** All volumes in the project, including servers' own disks. */
  volumes(): Promise<readonly Volume[]> {
    return this.clock.during(Array.fromAsync(this.fairway.process.project.client.blockStorage.volumes.list()));
  }

  /** All snapshots in the project. */
  snapshots(): Promise<readonly CinderSnapshot[]> {
    return this.clock.during(Array.fromAsync(this.fairway.process.project.client.blockStorage.snapshots.list()));
  }

  volumeSnapshot(name = 'first'): Promise<VolumeSnapshot | undefined> {
    return undefinedIfNotFound(this.client.resource(VolumeSnapshots).get(name, { namespace: 'default' }));
  }

  async contents(): Promise<readonly VolumeSnapshotContent[]> {
    return (await this.client.resource(VolumeSnapshotContents).list()).items;
  }

  async deleteSnapshot(name = 'first'): Promise<void> {
    await this.client.resource(VolumeSnapshots).delete(name, { namespace: 'default' });
  }

  /** Reasons and messages of the Events that a driver recorded. */
  async messages(driver = 'cinder.csi.openstack.org'): Promise<readonly string[]> {
    const { items } = await this.client.resource(Events).list();
    return items
      .filter(({ source }) => source?.component === driver)
      .map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** Number of requests to the cloud during this time. */
  async callsIn(durationMs: number): Promise<number> {
    const before = this.fairway.cloud.calls.total;
    await this.clock.pass(durationMs);
    return this.fairway.cloud.calls.total - before;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stopCallbacks) stop();
    await this.fairway[Symbol.asyncDispose]();
  }
}
