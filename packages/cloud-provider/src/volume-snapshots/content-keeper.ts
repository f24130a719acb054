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

/** How often to look for what no list of the project shows. */
const HELD_RETRY_MS = 60_000;
const FOREIGN_RETRY_MS = 900_000;

/**
 * Makes, keeps and deletes the snapshots of VolumeSnapshotContents, as csi-snapshotter does with cinder-csi-plugin.
 *
 * **Guarantees.** A content gets one snapshot, found by the marks of its cluster and content, which it carries from its creation on; never another after
 * it was ready once. Only snapshots with the cluster's marks are deleted: a content that somebody wrote with the id of another touches nothing.
 */
export class ContentKeeper {
  readonly #dependencies: SnapshotDependencies;
  readonly #maker: SnapshotMaker;
  readonly #enqueue: (key: string) => void;

  constructor(dependencies: SnapshotDependencies, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#maker = new SnapshotMaker(dependencies);
    this.#enqueue = enqueue;
  }

  /** The VolumeSnapshotContent of this name, or the snapshot of one that is gone. */
  async keep(key: string, name: string, place: SnapshotPlace, context: ReconcileContext): Promise<Result> {
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

  /** Enqueues snapshots of the cluster that have never had a content which told of them: a run ended before. */
  async findOrphans({ tenant, cluster, cloud, kinds }: SnapshotPlace, context: ReconcileContext): Promise<Result> {
    // Whatever no class of the driver was there for was not made.
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
        if (made) await this.#tell(content, made, place, pass);
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

  /** Whether the VolumeSnapshot that it is for is there; the cache may be behind. */
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

  /** Says in the content what its snapshot is, and on the snapshot what is to become of it. */
  async #tell(content: VolumeSnapshotContent, snapshot: CinderSnapshot, place: SnapshotPlace, { signal }: Pass) {
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

  /** Whether what was made is still there. Another one would be of another moment, so none is made. */
  async #check(content: VolumeSnapshotContent, place: SnapshotPlace, pass: Pass): Promise<void> {
    const { tenant, cloud } = place;
    const id = content.status?.snapshotHandle ?? '';
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    const { items, deleting } = await ownedSnapshots(cloud, owner, pass.signal);
    const own = items.find((each) => each.id === id);
    // Where a status names another, which one is one too many is not known.
    for (const double of own ? items : []) if (double !== own) await deleteSnapshot(cloud, double, pass.signal);
    const isGoing = deleting.some((each) => each.id === id);
    const found = own ?? (await findUsableSnapshot(cloud, owner.clusterUid, id, pass.signal));
    if (found === undefined || isGoing) throw new ProblemError({ reason: 'ConfigurationInvalid', message: gone(id) });
    await this.#tell(content, found, place, pass);
    if (found.status !== 'available') pass.againIn(HELD_RETRY_MS);
  }

  async #adopt(content: VolumeSnapshotContent, place: SnapshotPlace, pass: Pass): Promise<void> {
    const { tenant, cloud } = place;
    const id = content.spec.source.snapshotHandle ?? '';
    const found = await findUsableSnapshot(cloud, tenant.clusterUid, id, pass.signal);
    if (found === undefined) {
      pass.againIn(FOREIGN_RETRY_MS);
      const message = `spec.source.snapshotHandle is "${id.slice(0, 100)}", and the project has no such snapshot`;
      throw new ProblemError({ reason: 'ConfigurationInvalid', message });
    }
    if (found.status !== 'available') pass.againIn(HELD_RETRY_MS);
    if (found.status.startsWith('error'))
      throw new ProblemError({ reason: 'CloudUnavailable', message: broken(found) });
    await this.#tell(content, found, place, pass);
  }

  /** Resolves with whether nothing is left to be deleted. */
  async #delete(key: string, content: VolumeSnapshotContent, place: SnapshotPlace, pass: Pass): Promise<boolean> {
    const { awaited, builds } = this.#dependencies;
    const { tenant, cloud } = place;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    builds.abandon(storageKey(owner));
    const owned = await ownedSnapshots(cloud, owner, pass.signal);
    if (owned.items.length + owned.deleting.length > 0) return this.#remove(key, owned, place, pass, content);
    awaited.settle(owner, 'deletion');
    const handle = content.spec.source.snapshotHandle ?? content.status?.snapshotHandle;
    const found = handle ? await findSnapshot(cloud, handle, pass.signal) : undefined;
    if (found === undefined || found.status === 'deleting') return found === undefined || this.#lookAgain(pass);
    if (await this.#isOurs(found, place, pass.signal)) {
      await this.#remove(key, { items: [found], deleting: [] }, place, pass, content);
      return this.#lookAgain(pass);
    }
    const message = `snapshot ${found.id} was not made for this cluster, so Fairway does not delete it: delete it yourself, or set spec.deletionPolicy to Retain`;
    this.#dependencies.events.warning(tenant, VolumeSnapshotContents, content, 'SnapshotDeleteError', message);
    pass.againIn(FOREIGN_RETRY_MS);
    return false;
  }

  /** One that no list awaits. */
  #lookAgain(pass: Pass): false {
    pass.againIn(HELD_RETRY_MS / 6);
    return false;
  }

  /** Whether it was made for a content of the cluster that is gone: tools such as Velero delete by another content. */
  async #isOurs(snapshot: CinderSnapshot, { tenant }: SnapshotPlace, signal: AbortSignal): Promise<boolean> {
    const object = ownerIn(tenant, snapshot);
    return object !== undefined && !(await exists(tenant, object, signal));
  }

  /** Deletes snapshots with marks of the cluster. Resolves with whether none is left. */
  async #remove(
    key: string,
    { items, deleting }: OwnedSnapshots,
    { tenant, cloud }: SnapshotPlace,
    pass: Pass,
    content?: VolumeSnapshotContent,
  ): Promise<boolean> {
    const { awaited, events } = this.#dependencies;
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
      pass.againIn(HELD_RETRY_MS);
      const text = `snapshot ${snapshot.id} stays: ${heldBecause(snapshot)}`;
      if (content) events.warning(tenant, VolumeSnapshotContents, content, 'SnapshotDeleteError', text);
    }
    awaited.expect(owner, key, cloud.cache.volumeSnapshots, isUnderWay ? 'deletion' : undefined);
    return false;
  }

  /** Keeps on the snapshot what its content says, before that may go. */
  async #release(content: VolumeSnapshotContent, place: SnapshotPlace, { signal }: Pass): Promise<void> {
    const { tenant, cloud } = place;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    this.#dependencies.awaited.settle(owner);
    this.#dependencies.builds.abandon(storageKey(owner));
    const { items } = await ownedSnapshots(cloud, owner, signal);
    for (const snapshot of items) await this.#note(content, snapshot, place, signal);
  }

  /** Deletes the snapshot of a content that went before it told of it. */
  async #removeOrphan(key: string, name: string, place: SnapshotPlace, pass: Pass): Promise<void> {
    const { awaited, builds } = this.#dependencies;
    const { tenant, cloud } = place;
    const owner = { clusterUid: tenant.clusterUid, object: name };
    builds.abandon(storageKey(owner));
    const { items, deleting } = await ownedSnapshots(cloud, owner, pass.signal);
    const orphans = items.filter((snapshot) => reclaimPolicyOf(snapshot) === undefined);
    if (orphans.length > 0 && (await exists(tenant, name, pass.signal))) return;
    if (orphans.length + deleting.length === 0) awaited.settle(owner, 'deletion');
    else await this.#remove(key, { items: orphans, deleting }, place, pass);
  }
}

/** The cache may be behind. */
async function exists(tenant: TenantCluster, name: string, signal: AbortSignal): Promise<boolean> {
  const client = tenant.client.resource(VolumeSnapshotContents);
  return (await ofTenant(undefinedIfNotFound(client.get(name, { signal })))) !== undefined;
}

/** Name of the content that it was made for, if that was one of the cluster. */
function ownerIn({ clusterUid }: TenantCluster, snapshot: CinderSnapshot): string | undefined {
  const owner = storageOwner(snapshot);
  return owner?.clusterUid === clusterUid ? owner.object : undefined;
}

/** Why Cinder would refuse to delete it now. */
function heldBecause({ status }: CinderSnapshot): string {
  if (status === 'error_deleting') {
    return 'Cinder could not delete it: the operator of the cloud has to reset its status';
  }
  return `its status in Cinder is ${status}`;
}

function gone(id: string): string {
  return `snapshot ${id} is not there any more: somebody has deleted it in Cinder`;
}

function broken({ id, status }: CinderSnapshot): string {
  return `block-storage: snapshot ${id} has status ${status}: no volume can be made from it`;
}
