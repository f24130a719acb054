import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ensureFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumes } from '@fairway/kube/kinds/resources';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import { reclaimPolicyOf, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey, storedOfCluster } from '@fairway/tenancy/cloud/storage-index';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { madeByVolume, snapshotsOf } from '../volume-snapshots/tenant-snapshots.ts';
import { DRIVER, isCinderId, VOLUME_FINALIZER } from './driver.ts';
import { deleteVolume, noteReclaimPolicy, ownedVolumes } from './owned-volumes.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { volumeSubject } from './storage-keys.ts';
import type { StoragePlace } from './storage-place.ts';
import { claimsByVolume, storageOf } from './tenant-storage.ts';
import { heldBecause, stepFor } from './volume-state.ts';

/** How often to look for what no list of the project shows, such as a server that lets a volume go. */
const HELD_RETRY_MS = 60_000;
const FOREIGN_RETRY_MS = 900_000;

/**
 * Keeps the volumes of PersistentVolumes and deletes them, as external-provisioner does.
 *
 * **Guarantees.** Only volumes that carry the marks of this cluster and of this very PersistentVolume are deleted or changed: a PersistentVolume that
 * somebody wrote with the id of another volume touches nothing. What is to become of a volume without its cluster stands on the volume itself.
 */
export class VolumeKeeper {
  readonly #dependencies: StorageDependencies;
  readonly #enqueue: (key: string) => void;

  constructor(dependencies: StorageDependencies, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#enqueue = enqueue;
  }

  /** The PersistentVolume of this name, or the volume of one that never was. */
  async keep(key: string, name: string, place: StoragePlace, context: ReconcileContext): Promise<Result> {
    const { clock, events } = this.#dependencies;
    const { tenant, cluster, cloud } = place;
    const { volumes, claims } = storageOf(tenant);
    const volume = volumes.get(name);
    if (volume?.spec.csi && volume.spec.csi.driver !== DRIVER) return {};
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      if (volume === undefined) return this.#removeOrphan(key, name, place, pass);
      const { namespace, name: claimName } = volume.spec.claimRef ?? {};
      const step = stepFor(volume, claims.get(`${namespace}/${claimName}`));
      if (step === 'delete') return this.#delete(key, volume, place, pass);
      return this.#note(volume, step, place, pass);
    });
    if (failure && volume && failure.reason !== 'Provisioning') {
      const isDeleting = stepFor(volume, undefined) === 'delete';
      events.warning(
        tenant,
        PersistentVolumes,
        volume,
        isDeleting ? 'VolumeFailedDelete' : 'VolumeNotMarked',
        failure.message,
      );
    }
    return pass.end();
  }

  /** Enqueues volumes of the cluster that no PersistentVolume was written for: a run ended before. */
  async findOrphans({ tenant, cluster, cloud }: StoragePlace, context: ReconcileContext): Promise<Result> {
    const { classes, volumes } = storageOf(tenant);
    // Whatever no class of the driver was there for was not made.
    if (!classes.list().some(({ provisioner }) => provisioner === DRIVER)) return {};
    const pass = new Pass(context, this.#dependencies.clock);
    await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      const sinceMs = cloud.reliableFromMs(cloud.ledgers.volumes, 60_000);
      // A cloud without Cinder has no volumes.
      const listed = await ignoreNotFound(cloud.cache.volumes.refreshAfter(sinceMs));
      if (listed === undefined) return;
      for (const stored of storedOfCluster(listed, tenant.clusterUid)) {
        const object = storageOwner(stored)?.object ?? '';
        if (reclaimPolicyOf(stored) === undefined && volumes.get(object) === undefined) {
          this.#enqueue(volumeSubject(tenant.clusterUid, object));
        }
      }
    });
    return pass.end();
  }

  async #delete(key: string, volume: PersistentVolume, place: StoragePlace, pass: Pass): Promise<void> {
    const { awaited, events } = this.#dependencies;
    const { tenant, cloud } = place;
    const { name = '' } = volume.metadata;
    const owner = { clusterUid: tenant.clusterUid, object: name };
    const handle = volume.spec.csi?.volumeHandle ?? '';
    const { volumes, deleting } = await ownedVolumes(cloud, owner, pass.signal);
    if (volumes.length + deleting.length === 0 && (await this.#isForeign(place, handle, pass.signal))) {
      const message = `volume ${handle} was not made for this PersistentVolume, so Fairway does not delete it: delete it yourself, or set persistentVolumeReclaimPolicy to Retain`;
      events.warning(tenant, PersistentVolumes, volume, 'VolumeFailedDelete', message);
      pass.againIn(FOREIGN_RETRY_MS);
      return;
    }
    if (await this.#remove(key, owner, { volumes, deleting }, place, pass, volume)) {
      awaited.settle(owner, 'deletion');
      await this.#removeObject(volume, place, pass.signal);
    }
  }

  /** Whether there is a volume of this id that does not carry the marks. */
  async #isForeign({ cloud }: StoragePlace, handle: string, signal: AbortSignal): Promise<boolean> {
    if (!isCinderId(handle)) return false;
    const found = await ignoreNotFound(cloud.client.blockStorage.volumes.get(handle, { signal }));
    return found !== undefined && found.status !== 'deleting';
  }

  /** Deletes volumes with the marks of one owner. Resolves with whether none is left. */
  async #remove(
    key: string,
    owner: { readonly clusterUid: string; readonly object: string },
    { volumes, deleting }: { readonly volumes: readonly Volume[]; readonly deleting: readonly Volume[] },
    { tenant, cloud }: StoragePlace,
    pass: Pass,
    object?: PersistentVolume,
  ): Promise<boolean> {
    const { awaited, events } = this.#dependencies;
    if (volumes.length + deleting.length === 0) return true;
    let isUnderWay = deleting.length > 0;
    for (const volume of volumes) {
      const held = volume.status === 'deleting' ? undefined : (heldBecause(volume) ?? heldBySnapshots(tenant, volume));
      if (held === undefined) isUnderWay = true;
      if (held === undefined && volume.status !== 'deleting') await deleteVolume(cloud, volume, pass.signal);
      if (held === undefined) continue;
      pass.againIn(HELD_RETRY_MS);
      if (object)
        events.warning(tenant, PersistentVolumes, object, 'VolumeFailedDelete', `volume ${volume.id} stays: ${held}`);
    }
    awaited.expect(owner, key, cloud.cache.volumes, isUnderWay ? 'deletion' : undefined);
    return false;
  }

  async #removeObject(volume: PersistentVolume, { tenant }: StoragePlace, signal: AbortSignal): Promise<void> {
    const client = tenant.client.resource(PersistentVolumes);
    const { name = '', uid } = volume.metadata;
    await ofTenant(ignoreGone(client.delete(name, { signal, ...(uid !== undefined && { uid }) })));
    const current = await ofTenant(undefinedIfNotFound(client.get(name, { signal })));
    if (current !== undefined && current.metadata.uid === uid)
      await ofTenant(removeFinalizer(client, current, VOLUME_FINALIZER));
  }

  /** Keeps on the volume what its PersistentVolume says, before that may go. */
  async #note(
    volume: PersistentVolume,
    step: 'none' | 'release' | 'protect',
    { tenant, cloud }: StoragePlace,
    { signal }: Pass,
  ): Promise<void> {
    const owner = { clusterUid: tenant.clusterUid, object: volume.metadata.name ?? '' };
    const { volumes } = await ownedVolumes(cloud, owner, signal);
    const own = volumes.find(({ id }) => id === volume.spec.csi?.volumeHandle);
    const policy = volume.spec.persistentVolumeReclaimPolicy === 'Delete' ? 'Delete' : 'Retain';
    if (own && reclaimPolicyOf(own) !== policy) await noteReclaimPolicy(cloud, owner, own, policy, signal);
    const client = tenant.client.resource(PersistentVolumes);
    if (step === 'protect' && own) await ofTenant(ensureFinalizer(client, volume, VOLUME_FINALIZER));
    if (step === 'release') await ofTenant(removeFinalizer(client, volume, VOLUME_FINALIZER));
  }

  /** Deletes the volume of a claim that went before it had a PersistentVolume. */
  async #removeOrphan(key: string, name: string, place: StoragePlace, pass: Pass): Promise<void> {
    const { awaited } = this.#dependencies;
    const { tenant, cloud } = place;
    if (storageOf(tenant).claims.find(claimsByVolume, name).length > 0) return;
    const owner = { clusterUid: tenant.clusterUid, object: name };
    this.#dependencies.builds.abandon(storageKey(owner));
    const { volumes, deleting } = await ownedVolumes(cloud, owner, pass.signal);
    const orphans = volumes.filter((volume) => reclaimPolicyOf(volume) === undefined);
    if (orphans.length > 0 && (await this.#exists(place, name, pass.signal))) return;
    if (await this.#remove(key, owner, { volumes: orphans, deleting }, place, pass)) awaited.settle(owner, 'deletion');
  }

  /** The cache may be behind. */
  async #exists({ tenant }: StoragePlace, name: string, signal: AbortSignal): Promise<boolean> {
    const client = tenant.client.resource(PersistentVolumes);
    return (await ofTenant(undefinedIfNotFound(client.get(name, { signal })))) !== undefined;
  }
}

/** Cinder keeps a volume as long as it has snapshots. Those that the cluster does not know of, Cinder tells of. */
function heldBySnapshots(tenant: StoragePlace['tenant'], { id }: Volume): string | undefined {
  const contents = snapshotsOf(tenant)?.contents.find(madeByVolume, id) ?? [];
  if (contents.length === 0) return undefined;
  const names = contents.slice(0, 5).map(({ metadata }) => metadata.name);
  return `it has snapshots, which have to go first: VolumeSnapshotContent ${names.join(', ')}${contents.length > 5 ? '…' : ''}`;
}
