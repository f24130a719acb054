import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ensureFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import {
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '@fairway/kube/kinds/volume-snapshots';
import type { VolumeSnapshot as CinderSnapshot } from '@fairway/openstack/types/block-storage';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import { reclaimPolicyOf, storageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey, storageObjectsOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { DRIVER } from '../volumes/driver.ts';
import { contentStep } from './content-step.ts';
import {
  deleteSnapshot,
  findSnapshot,
  findUsableSnapshot,
  type OwnedSnapshots,
  ownedSnapshots,
  recordSnapshotPolicy,
} from './owned-snapshots.ts';
import { SnapshotCreator } from './snapshot-creator.ts';
import type { SnapshotDependencies, SnapshotScope } from './snapshot-dependencies.ts';
import { contentSubject } from './snapshot-keys.ts';
import { CONTENT_FINALIZER } from './snapshot-names.ts';
import { contentStatus, failedStatus } from './snapshot-status.ts';
import { writeStatus } from './status-writer.ts';

/** How often to check for changes that the project's lists do not show. */
const BUSY_RETRY_MS = 60_000;
const FOREIGN_RETRY_MS = 900_000;

/**
 * Takes, reconciles and deletes the snapshots of VolumeSnapshotContents, as csi-snapshotter does with
 * cinder-csi-plugin.
 *
 * **Guarantees.** A content gets one snapshot, which is found by the tags of its cluster and content that are set on
 * creation. Once the snapshot has been ready, the content never gets another. Only snapshots with the cluster's tags
 * are deleted: a content that contains the ID of a foreign snapshot has no effect.
 */
export class SnapshotContentReconciler {
  readonly #dependencies: SnapshotDependencies;
  readonly #creator: SnapshotCreator;
  readonly #enqueue: (key: string) => void;

  constructor(dependencies: SnapshotDependencies, enqueue: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#creator = new SnapshotCreator(dependencies);
    this.#enqueue = enqueue;
  }

  /** `name` is a VolumeSnapshotContent, or a deleted one that a snapshot was created for. */
  async reconcile(key: string, name: string, scope: SnapshotScope, context: ReconcileContext): Promise<Result> {
    const { clock, events } = this.#dependencies;
    const { tenant, cluster, cloud, kinds } = scope;
    const content = kinds.contents.get(name);
    if (content && content.spec.driver !== DRIVER) return {};
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      return content ? this.#reconcileContent(key, content, scope, pass) : this.#removeOrphan(key, name, scope, pass);
    });
    if (failure && content && failure.reason !== 'Provisioning') {
      const isDeleting = content.metadata.deletionTimestamp !== undefined;
      const message = `Failed to ${isDeleting ? 'delete' : 'create'} snapshot: ${failure.message}`;
      events.warning(
        tenant,
        VolumeSnapshotContents,
        content,
        isDeleting ? 'SnapshotDeleteError' : 'SnapshotCreationFailed',
        message,
      );
      if (failure.party === 'cloud' && !isDeleting) await pass.run(() => this.#fail(content, message, scope, pass));
    }
    return pass.end();
  }

  /** Enqueues snapshots of the cluster that no content refers to yet, left by an interrupted run. */
  async findOrphans({ tenant, cluster, cloud, kinds }: SnapshotScope, context: ReconcileContext): Promise<Result> {
    // If the cluster has no class for the driver, nothing was created.
    if (!kinds.classes.list().some(({ driver }) => driver === DRIVER)) return {};
    const pass = new Pass(context, this.#dependencies.clock);
    await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      const sinceMs = cloud.reliableFromMs(cloud.ledgers.volumeSnapshots, 60_000);
      const listed = await cloud.cache.volumeSnapshots.refreshAfter(sinceMs, pass.signal);
      for (const stored of storageObjectsOfCluster(listed, tenant.clusterUid)) {
        const object = storageOwner(stored)?.object ?? '';
        if (reclaimPolicyOf(stored) === undefined && kinds.contents.get(object) === undefined) {
          this.#enqueue(contentSubject(tenant.clusterUid, object));
        }
      }
    });
    return pass.end();
  }

  async #reconcileContent(
    key: string,
    content: VolumeSnapshotContent,
    scope: SnapshotScope,
    pass: Pass,
  ): Promise<void> {
    const { tenant } = scope;
    const isDeleting = content.metadata.deletionTimestamp !== undefined;
    const step = contentStep(content, !isDeleting || (await this.#isReferenced(content, scope, pass.signal)));
    const client = tenant.client.resource(VolumeSnapshotContents);
    switch (step) {
      case 'none':
        return;
      case 'create': {
        const own = await wrapTenantError(ensureFinalizer(client, content, CONTENT_FINALIZER));
        const created = await this.#creator.make(key, own, scope, pass);
        if (created) await this.#writeStatus(content, created, scope, pass);
        return;
      }
      case 'keep':
        return this.#check(content, scope, pass);
      case 'adopt':
        if (content.spec.volumeSnapshotRef.uid) {
          await wrapTenantError(ensureFinalizer(client, content, CONTENT_FINALIZER));
        }
        return this.#adopt(content, scope, pass);
      case 'delete':
        if (!(await this.#delete(key, content, scope, pass))) return;
        return wrapTenantError(removeFinalizer(client, content, CONTENT_FINALIZER));
      case 'release':
        await this.#release(content, scope, pass);
        return wrapTenantError(removeFinalizer(client, content, CONTENT_FINALIZER));
    }
  }

  /** Whether the content's VolumeSnapshot exists; the cache may be stale. */
  async #isReferenced(
    { spec: { volumeSnapshotRef } }: VolumeSnapshotContent,
    { tenant, kinds }: SnapshotScope,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { namespace, name, uid } = volumeSnapshotRef;
    if (kinds.snapshots.get(`${namespace}/${name}`)?.metadata.uid === uid) return true;
    if (!namespace || !name) return false;
    const client = tenant.client.resource(VolumeSnapshots);
    const found = await wrapTenantError(undefinedIfNotFound(client.get(name, { namespace, signal })));
    return found?.metadata.uid === uid;
  }

  /** Records the snapshot in its content, and the deletion policy on the snapshot. */
  async #writeStatus(content: VolumeSnapshotContent, snapshot: CinderSnapshot, scope: SnapshotScope, { signal }: Pass) {
    const { tenant } = scope;
    const status = contentStatus(content, snapshot);
    if (status) await writeStatus(this.#dependencies, tenant, VolumeSnapshotContents, content, status, signal);
    await this.#recordPolicy(content, snapshot, scope, signal);
  }

  async #recordPolicy(
    { metadata, spec }: VolumeSnapshotContent,
    snapshot: CinderSnapshot,
    { tenant, cloud, kinds }: SnapshotScope,
    signal: AbortSignal,
  ): Promise<void> {
    if (reclaimPolicyOf(snapshot) === spec.deletionPolicy) return;
    const object = ownerIn(tenant, snapshot);
    const isOwn = object === metadata.name || (object !== undefined && kinds.contents.get(object) === undefined);
    if (isOwn) await recordSnapshotPolicy(cloud, snapshot, spec.deletionPolicy, signal);
  }

  async #fail(content: VolumeSnapshotContent, message: string, { tenant }: SnapshotScope, { signal }: Pass) {
    const { clock } = this.#dependencies;
    const status = failedStatus(content, message, clock.now());
    if (status) await writeStatus(this.#dependencies, tenant, VolumeSnapshotContents, content, status, signal);
  }

  /**
   * Whether the created snapshot still exists. No replacement is taken, because it would capture a different point in
   * time.
   */
  async #check(content: VolumeSnapshotContent, scope: SnapshotScope, pass: Pass): Promise<void> {
    const { tenant, cloud } = scope;
    const id = content.status?.snapshotHandle ?? '';
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    const { items, deleting } = await ownedSnapshots(cloud, owner, pass.signal);
    const own = items.find((each) => each.id === id);
    // If the status refers to another snapshot, it is unclear which one is surplus.
    for (const duplicate of own ? items : [])
      if (duplicate !== own) await deleteSnapshot(cloud, duplicate, pass.signal);
    const isDeleting = deleting.some((each) => each.id === id);
    const found = own ?? (await findUsableSnapshot(cloud, owner.clusterUid, id, pass.signal));
    if (found === undefined || isDeleting)
      throw new ProblemError({ reason: 'ConfigurationInvalid', message: snapshotNotFound(id) });
    await this.#writeStatus(content, found, scope, pass);
    if (found.status !== 'available') pass.requeueAfter(BUSY_RETRY_MS);
  }

  async #adopt(content: VolumeSnapshotContent, scope: SnapshotScope, pass: Pass): Promise<void> {
    const { tenant, cloud } = scope;
    const id = content.spec.source.snapshotHandle ?? '';
    const found = await findUsableSnapshot(cloud, tenant.clusterUid, id, pass.signal);
    if (found === undefined) {
      pass.requeueAfter(FOREIGN_RETRY_MS);
      const message = `spec.source.snapshotHandle is "${id.slice(0, 100)}", but the project has no such snapshot`;
      throw new ProblemError({ reason: 'ConfigurationInvalid', message });
    }
    if (found.status !== 'available') pass.requeueAfter(BUSY_RETRY_MS);
    if (found.status.startsWith('error'))
      throw new ProblemError({ reason: 'CloudUnavailable', message: errorStatusMessage(found) });
    await this.#writeStatus(content, found, scope, pass);
  }

  /** Resolves with whether nothing remains to be deleted. */
  async #delete(key: string, content: VolumeSnapshotContent, scope: SnapshotScope, pass: Pass): Promise<boolean> {
    const { storageWatch, builds } = this.#dependencies;
    const { tenant, cloud } = scope;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    builds.abandon(storageKey(owner));
    const owned = await ownedSnapshots(cloud, owner, pass.signal);
    if (owned.items.length + owned.deleting.length > 0) return this.#remove(key, owned, scope, pass, content);
    storageWatch.settle(owner, 'deletion');
    const handle = content.spec.source.snapshotHandle ?? content.status?.snapshotHandle;
    const found = handle ? await findSnapshot(cloud, handle, pass.signal) : undefined;
    if (found === undefined || found.status === 'deleting') return found === undefined || this.#refresh(pass);
    if (await this.#isOwnSnapshot(found, scope, pass.signal)) {
      await this.#remove(key, { items: [found], deleting: [] }, scope, pass, content);
      return this.#refresh(pass);
    }
    const message = `snapshot ${found.id} was not created for this cluster, so Fairway does not delete it: delete it yourself, or set spec.deletionPolicy to Retain`;
    this.#dependencies.events.warning(tenant, VolumeSnapshotContents, content, 'SnapshotDeleteError', message);
    pass.requeueAfter(FOREIGN_RETRY_MS);
    return false;
  }

  /** Requeues the key for a snapshot that no list tracks. */
  #refresh(pass: Pass): false {
    pass.requeueAfter(BUSY_RETRY_MS / 6);
    return false;
  }

  /**
   * Whether the snapshot was created for a deleted content of the cluster: tools such as Velero delete snapshots
   * through a different content.
   */
  async #isOwnSnapshot(snapshot: CinderSnapshot, { tenant }: SnapshotScope, signal: AbortSignal): Promise<boolean> {
    const object = ownerIn(tenant, snapshot);
    return object !== undefined && !(await exists(tenant, object, signal));
  }

  /** Deletes snapshots with the cluster's tags. Resolves with whether no such snapshots remain. */
  async #remove(
    key: string,
    { items, deleting }: OwnedSnapshots,
    { tenant, cloud }: SnapshotScope,
    pass: Pass,
    content?: VolumeSnapshotContent,
  ): Promise<boolean> {
    const { storageWatch, events } = this.#dependencies;
    const [first] = [...items, ...deleting];
    const owner = first && storageOwner(first);
    if (owner === undefined) return true;
    let isInProgress = deleting.length > 0;
    for (const snapshot of items) {
      if (snapshot.status === 'available' || snapshot.status === 'error') {
        await deleteSnapshot(cloud, snapshot, pass.signal);
        isInProgress = true;
        continue;
      }
      if (snapshot.status === 'deleting') {
        isInProgress = true;
        continue;
      }
      pass.requeueAfter(BUSY_RETRY_MS);
      const text = `snapshot ${snapshot.id} cannot be deleted yet: ${heldReason(snapshot)}`;
      if (content) events.warning(tenant, VolumeSnapshotContents, content, 'SnapshotDeleteError', text);
    }
    storageWatch.expect(owner, key, cloud.cache.volumeSnapshots, isInProgress ? 'deletion' : undefined);
    return false;
  }

  /** Records the content's policy on the snapshot before the content may be deleted. */
  async #release(content: VolumeSnapshotContent, scope: SnapshotScope, { signal }: Pass): Promise<void> {
    const { tenant, cloud } = scope;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    this.#dependencies.storageWatch.settle(owner);
    this.#dependencies.builds.abandon(storageKey(owner));
    const { items } = await ownedSnapshots(cloud, owner, signal);
    for (const snapshot of items) await this.#recordPolicy(content, snapshot, scope, signal);
  }

  /** Deletes the snapshot of a content that was deleted before it referred to the snapshot. */
  async #removeOrphan(key: string, name: string, scope: SnapshotScope, pass: Pass): Promise<void> {
    const { storageWatch, builds } = this.#dependencies;
    const { tenant, cloud } = scope;
    const owner = { clusterUid: tenant.clusterUid, object: name };
    builds.abandon(storageKey(owner));
    const { items, deleting } = await ownedSnapshots(cloud, owner, pass.signal);
    const orphans = items.filter((snapshot) => reclaimPolicyOf(snapshot) === undefined);
    if (orphans.length > 0 && (await exists(tenant, name, pass.signal))) return;
    if (orphans.length + deleting.length === 0) storageWatch.settle(owner, 'deletion');
    else await this.#remove(key, { items: orphans, deleting }, scope, pass);
  }
}

/** Whether the content exists. Reads from the API server, because the cache may be stale. */
async function exists(tenant: TenantCluster, name: string, signal: AbortSignal): Promise<boolean> {
  const client = tenant.client.resource(VolumeSnapshotContents);
  return (await wrapTenantError(undefinedIfNotFound(client.get(name, { signal })))) !== undefined;
}

/** Name of the content for which the snapshot was created, if that content belongs to the cluster. */
function ownerIn({ clusterUid }: TenantCluster, snapshot: CinderSnapshot): string | undefined {
  const owner = storageOwner(snapshot);
  return owner?.clusterUid === clusterUid ? owner.object : undefined;
}

/** Why Cinder would reject the snapshot's deletion now. */
function heldReason({ status }: CinderSnapshot): string {
  if (status === 'error_deleting') {
    return 'Cinder failed to delete it: the cloud operator must reset its status';
  }
  return `its status in Cinder is ${status}`;
}

function snapshotNotFound(id: string): string {
  return `snapshot ${id} no longer exists: it was deleted in Cinder`;
}

function errorStatusMessage({ id, status }: CinderSnapshot): string {
  return `block-storage: snapshot ${id} has status ${status}: no volume can be created from it`;
}
