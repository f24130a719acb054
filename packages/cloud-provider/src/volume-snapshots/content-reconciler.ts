import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ensureFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import {
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '@fairway/kube/kinds/volume-snapshots';
import type { VolumeSnapshot as CinderSnapshot } from '@fairway/openstack/types/block-storage';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import { reclaimPolicyOf, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey, storedOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { DRIVER } from '../volumes/driver.ts';
import { contentStep } from './content-step.ts';
import {
  deleteSnapshot,
  findSnapshot,
  findUsableSnapshot,
  noteSnapshotPolicy,
  type OwnedSnapshots,
  ownedSnapshots,
} from './owned-snapshots.ts';
import type { SnapshotDependencies, SnapshotPlace } from './snapshot-dependencies.ts';
import { contentSubject } from './snapshot-keys.ts';
import { SnapshotMaker } from './snapshot-maker.ts';
import { CONTENT_FINALIZER } from './snapshot-names.ts';
import { contentStatus, failedStatus } from './snapshot-status.ts';
import { writeStatus } from './status-writer.ts';

/** How often to check for what the project's lists do not show. */
const HELD_RETRY_MS = 60_000;
const FOREIGN_RETRY_MS = 900_000;

/**
 * Takes, reconciles and deletes the snapshots of VolumeSnapshotContents, as csi-snapshotter does with cinder-csi-plugin.
 *
 * **Guarantees.** A content gets one snapshot, found by the tags of its cluster and content, set on creation; never another after
 * it was ready once. Only snapshots with the cluster's tags are deleted: a content written with the ID of another touches nothing.
 */
export class SnapshotContentReconciler {
  readonly #dependencies: SnapshotDependencies;
  readonly #maker: SnapshotMaker;
  readonly #enqueue: (key: string) => void;

  constructor(dependencies: SnapshotDependencies, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#maker = new SnapshotMaker(dependencies);
    this.#enqueue = enqueue;
  }

  /** The VolumeSnapshotContent with this name, or the snapshot of a deleted one. */
  async reconcile(key: string, name: string, place: SnapshotPlace, context: ReconcileContext): Promise<Result> {
    const { clock, events } = this.#dependencies;
    const { tenant, cluster, cloud, kinds } = place;
    const content = kinds.contents.get(name);
    if (content && content.spec.driver !== DRIVER) return {};
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      return content ? this.#step(key, content, place, pass) : this.#removeOrphan(key, name, place, pass);
    });
    if (failure && content && failure.reason !== 'Provisioning') {
      const isGoing = content.metadata.deletionTimestamp !== undefined;
      const message = `Failed to ${isGoing ? 'delete' : 'create'} snapshot: ${failure.message}`;
      events.warning(
        tenant,
        VolumeSnapshotContents,
        content,
        isGoing ? 'SnapshotDeleteError' : 'SnapshotCreationFailed',
        message,
      );
      if (failure.party === 'cloud' && !isGoing) await pass.run(() => this.#fail(content, message, place, pass));
    }
    return pass.end();
  }

  /** Enqueues snapshots of the cluster that no content refers to yet, left by an interrupted run. */
  async findOrphans({ tenant, cluster, cloud, kinds }: SnapshotPlace, context: ReconcileContext): Promise<Result> {
    // Without a class of the driver, nothing was created.
    if (!kinds.classes.list().some(({ driver }) => driver === DRIVER)) return {};
    const pass = new Pass(context, this.#dependencies.clock);
    await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      const sinceMs = cloud.reliableFromMs(cloud.ledgers.volumeSnapshots, 60_000);
      const listed = await cloud.cache.volumeSnapshots.refreshAfter(sinceMs, pass.signal);
      for (const stored of storedOfCluster(listed, tenant.clusterUid)) {
        const object = storageOwner(stored)?.object ?? '';
        if (reclaimPolicyOf(stored) === undefined && kinds.contents.get(object) === undefined) {
          this.#enqueue(contentSubject(tenant.clusterUid, object));
        }
      }
    });
    return pass.end();
  }

  async #step(key: string, content: VolumeSnapshotContent, place: SnapshotPlace, pass: Pass): Promise<void> {
    const { tenant } = place;
    const isGoing = content.metadata.deletionTimestamp !== undefined;
    const step = contentStep(content, !isGoing || (await this.#isClaimed(content, place, pass.signal)));
    const client = tenant.client.resource(VolumeSnapshotContents);
    switch (step) {
      case 'none':
        return;
      case 'create': {
        const own = await ofTenant(ensureFinalizer(client, content, CONTENT_FINALIZER));
        const made = await this.#maker.make(key, own, place, pass);
        if (made) await this.#writeStatus(content, made, place, pass);
        return;
      }
      case 'keep':
        return this.#check(content, place, pass);
      case 'adopt':
        if (content.spec.volumeSnapshotRef.uid) {
          await ofTenant(ensureFinalizer(client, content, CONTENT_FINALIZER));
        }
        return this.#adopt(content, place, pass);
      case 'delete':
        if (!(await this.#delete(key, content, place, pass))) return;
        return ofTenant(removeFinalizer(client, content, CONTENT_FINALIZER));
      case 'release':
        await this.#release(content, place, pass);
        return ofTenant(removeFinalizer(client, content, CONTENT_FINALIZER));
    }
  }

  /** Whether its VolumeSnapshot exists; the cache may be stale. */
  async #isClaimed(
    { spec: { volumeSnapshotRef } }: VolumeSnapshotContent,
    { tenant, kinds }: SnapshotPlace,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { namespace, name, uid } = volumeSnapshotRef;
    if (kinds.snapshots.get(`${namespace}/${name}`)?.metadata.uid === uid) return true;
    if (!namespace || !name) return false;
    const client = tenant.client.resource(VolumeSnapshots);
    const found = await ofTenant(undefinedIfNotFound(client.get(name, { namespace, signal })));
    return found?.metadata.uid === uid;
  }

  /** Records the snapshot in its content, and the deletion policy on the snapshot. */
  async #writeStatus(content: VolumeSnapshotContent, snapshot: CinderSnapshot, place: SnapshotPlace, { signal }: Pass) {
    const { tenant } = place;
    const status = contentStatus(content, snapshot);
    if (status) await writeStatus(this.#dependencies, tenant, VolumeSnapshotContents, content, status, signal);
    await this.#note(content, snapshot, place, signal);
  }

  async #note(
    { metadata, spec }: VolumeSnapshotContent,
    snapshot: CinderSnapshot,
    { tenant, cloud, kinds }: SnapshotPlace,
    signal: AbortSignal,
  ): Promise<void> {
    if (reclaimPolicyOf(snapshot) === spec.deletionPolicy) return;
    const object = ownerIn(tenant, snapshot);
    const isOwn = object === metadata.name || (object !== undefined && kinds.contents.get(object) === undefined);
    if (isOwn) await noteSnapshotPolicy(cloud, snapshot, spec.deletionPolicy, signal);
  }

  async #fail(content: VolumeSnapshotContent, message: string, { tenant }: SnapshotPlace, { signal }: Pass) {
    const { clock } = this.#dependencies;
    const status = failedStatus(content, message, clock.now());
    if (status) await writeStatus(this.#dependencies, tenant, VolumeSnapshotContents, content, status, signal);
  }

  /** Whether the created snapshot still exists. A new one would capture another moment, so none is taken. */
  async #check(content: VolumeSnapshotContent, place: SnapshotPlace, pass: Pass): Promise<void> {
    const { tenant, cloud } = place;
    const id = content.status?.snapshotHandle ?? '';
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    const { items, deleting } = await ownedSnapshots(cloud, owner, pass.signal);
    const own = items.find((each) => each.id === id);
    // If the status refers to another one, it is unknown which is surplus.
    for (const double of own ? items : []) if (double !== own) await deleteSnapshot(cloud, double, pass.signal);
    const isGoing = deleting.some((each) => each.id === id);
    const found = own ?? (await findUsableSnapshot(cloud, owner.clusterUid, id, pass.signal));
    if (found === undefined || isGoing) throw new ProblemError({ reason: 'ConfigurationInvalid', message: gone(id) });
    await this.#writeStatus(content, found, place, pass);
    if (found.status !== 'available') pass.requeueAfter(HELD_RETRY_MS);
  }

  async #adopt(content: VolumeSnapshotContent, place: SnapshotPlace, pass: Pass): Promise<void> {
    const { tenant, cloud } = place;
    const id = content.spec.source.snapshotHandle ?? '';
    const found = await findUsableSnapshot(cloud, tenant.clusterUid, id, pass.signal);
    if (found === undefined) {
      pass.requeueAfter(FOREIGN_RETRY_MS);
      const message = `spec.source.snapshotHandle is "${id.slice(0, 100)}", but the project has no such snapshot`;
      throw new ProblemError({ reason: 'ConfigurationInvalid', message });
    }
    if (found.status !== 'available') pass.requeueAfter(HELD_RETRY_MS);
    if (found.status.startsWith('error'))
      throw new ProblemError({ reason: 'CloudUnavailable', message: broken(found) });
    await this.#writeStatus(content, found, place, pass);
  }

  /** Resolves with whether nothing remains to be deleted. */
  async #delete(key: string, content: VolumeSnapshotContent, place: SnapshotPlace, pass: Pass): Promise<boolean> {
    const { storageWatch, builds } = this.#dependencies;
    const { tenant, cloud } = place;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    builds.abandon(storageKey(owner));
    const owned = await ownedSnapshots(cloud, owner, pass.signal);
    if (owned.items.length + owned.deleting.length > 0) return this.#remove(key, owned, place, pass, content);
    storageWatch.settle(owner, 'deletion');
    const handle = content.spec.source.snapshotHandle ?? content.status?.snapshotHandle;
    const found = handle ? await findSnapshot(cloud, handle, pass.signal) : undefined;
    if (found === undefined || found.status === 'deleting') return found === undefined || this.#refresh(pass);
    if (await this.#isOurs(found, place, pass.signal)) {
      await this.#remove(key, { items: [found], deleting: [] }, place, pass, content);
      return this.#refresh(pass);
    }
    const message = `snapshot ${found.id} was not created for this cluster, so Fairway does not delete it: delete it yourself, or set spec.deletionPolicy to Retain`;
    this.#dependencies.events.warning(tenant, VolumeSnapshotContents, content, 'SnapshotDeleteError', message);
    pass.requeueAfter(FOREIGN_RETRY_MS);
    return false;
  }

  /** A snapshot that no list tracks. */
  #refresh(pass: Pass): false {
    pass.requeueAfter(HELD_RETRY_MS / 6);
    return false;
  }

  /** Whether it was created for a deleted content of the cluster: tools such as Velero delete through another content. */
  async #isOurs(snapshot: CinderSnapshot, { tenant }: SnapshotPlace, signal: AbortSignal): Promise<boolean> {
    const object = ownerIn(tenant, snapshot);
    return object !== undefined && !(await exists(tenant, object, signal));
  }

  /** Deletes snapshots with the cluster's tags. Resolves with whether none remains. */
  async #remove(
    key: string,
    { items, deleting }: OwnedSnapshots,
    { tenant, cloud }: SnapshotPlace,
    pass: Pass,
    content?: VolumeSnapshotContent,
  ): Promise<boolean> {
    const { storageWatch, events } = this.#dependencies;
    const [first] = [...items, ...deleting];
    const owner = first && storageOwner(first);
    if (owner === undefined) return true;
    let isUnderWay = deleting.length > 0;
    for (const snapshot of items) {
      if (snapshot.status === 'available' || snapshot.status === 'error') {
        await deleteSnapshot(cloud, snapshot, pass.signal);
        isUnderWay = true;
        continue;
      }
      if (snapshot.status === 'deleting') {
        isUnderWay = true;
        continue;
      }
      pass.requeueAfter(HELD_RETRY_MS);
      const text = `snapshot ${snapshot.id} cannot be deleted yet: ${heldBecause(snapshot)}`;
      if (content) events.warning(tenant, VolumeSnapshotContents, content, 'SnapshotDeleteError', text);
    }
    storageWatch.expect(owner, key, cloud.cache.volumeSnapshots, isUnderWay ? 'deletion' : undefined);
    return false;
  }

  /** Records the content's policy on the snapshot before the content may be deleted. */
  async #release(content: VolumeSnapshotContent, place: SnapshotPlace, { signal }: Pass): Promise<void> {
    const { tenant, cloud } = place;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    this.#dependencies.storageWatch.settle(owner);
    this.#dependencies.builds.abandon(storageKey(owner));
    const { items } = await ownedSnapshots(cloud, owner, signal);
    for (const snapshot of items) await this.#note(content, snapshot, place, signal);
  }

  /** Deletes the snapshot of a content that was deleted before it referred to it. */
  async #removeOrphan(key: string, name: string, place: SnapshotPlace, pass: Pass): Promise<void> {
    const { storageWatch, builds } = this.#dependencies;
    const { tenant, cloud } = place;
    const owner = { clusterUid: tenant.clusterUid, object: name };
    builds.abandon(storageKey(owner));
    const { items, deleting } = await ownedSnapshots(cloud, owner, pass.signal);
    const orphans = items.filter((snapshot) => reclaimPolicyOf(snapshot) === undefined);
    if (orphans.length > 0 && (await exists(tenant, name, pass.signal))) return;
    if (orphans.length + deleting.length === 0) storageWatch.settle(owner, 'deletion');
    else await this.#remove(key, { items: orphans, deleting }, place, pass);
  }
}

/** The cache may be stale. */
async function exists(tenant: TenantCluster, name: string, signal: AbortSignal): Promise<boolean> {
  const client = tenant.client.resource(VolumeSnapshotContents);
  return (await ofTenant(undefinedIfNotFound(client.get(name, { signal })))) !== undefined;
}

/** Name of the content that it was created for, if it belongs to the cluster. */
function ownerIn({ clusterUid }: TenantCluster, snapshot: CinderSnapshot): string | undefined {
  const owner = storageOwner(snapshot);
  return owner?.clusterUid === clusterUid ? owner.object : undefined;
}

/** Why Cinder would reject its deletion now. */
function heldBecause({ status }: CinderSnapshot): string {
  if (status === 'error_deleting') {
    return 'Cinder failed to delete it: the cloud operator must reset its status';
  }
  return `its status in Cinder is ${status}`;
}

function gone(id: string): string {
  return `snapshot ${id} no longer exists: it was deleted in Cinder`;
}

function broken({ id, status }: CinderSnapshot): string {
  return `block-storage: snapshot ${id} has status ${status}: no volume can be created from it`;
}
