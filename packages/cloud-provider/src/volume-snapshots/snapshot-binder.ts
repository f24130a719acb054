import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ensureFinalizer, hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '@fairway/kube/kinds/volume-snapshots';
import { isApiError } from '@fairway/kube/object/api-error';
import { TenantApiError, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { DRIVER } from '../volumes/driver.ts';
import { claimsBySnapshot, storageOf } from '../volumes/tenant-storage.ts';
import { needsProvisioning } from '../volumes/volume-plan.ts';
import { bindingStep, contentNameFor, isBoundTo } from './snapshot-binding.ts';
import type { SnapshotDependencies, SnapshotScope } from './snapshot-dependencies.ts';
import { snapshotLimit } from './snapshot-limits.ts';
import { BEING_DELETED_ANNOTATION, BOUND_FINALIZER, CLAIM_FINALIZER, SOURCE_FINALIZER } from './snapshot-names.ts';
import { readContent } from './snapshot-objects.ts';
import { failedStatus, snapshotStatus } from './snapshot-status.ts';
import { writeStatus } from './status-writer.ts';
import { bindsSnapshots, unreadyByClaim } from './tenant-snapshots.ts';

/** How often to check for changes that no event reports. */
const RETRY_MS = 60_000;

/**
 * Binds VolumeSnapshots to VolumeSnapshotContents, as snapshot-controller does, in clusters that have no
 * snapshot-controller. The result is the same after a crash: the name of a content is derived from its VolumeSnapshot,
 * and both refer to each other.
 */
export class SnapshotBinder {
  readonly #dependencies: SnapshotDependencies;

  constructor(dependencies: SnapshotDependencies) {
    this.#dependencies = dependencies;
  }

  /** `snapshotKey`: the key of a VolumeSnapshot. */
  async bind(snapshotKey: string, scope: SnapshotScope, context: ReconcileContext): Promise<Result> {
    const { tenant, kinds } = scope;
    const snapshot = kinds.snapshots.get(snapshotKey);
    if (snapshot === undefined || !bindsSnapshots(tenant)) return {};
    const pass = new Pass(context, this.#dependencies.clock);
    await pass.run(() =>
      snapshot.metadata.deletionTimestamp === undefined
        ? this.#bindSnapshot(snapshot, scope, pass)
        : this.#end(snapshot, scope, pass),
    );
    return pass.end();
  }

  /** Releases a claim once no snapshot of it is being taken. */
  async release(claimKey: string, { tenant, kinds }: SnapshotScope, context: ReconcileContext): Promise<Result> {
    const claim = storageOf(tenant).claims.get(claimKey);
    if (claim === undefined || !hasFinalizer(claim, CLAIM_FINALIZER) || !bindsSnapshots(tenant)) return {};
    const isNeeded = kinds.snapshots
      .find(unreadyByClaim, claimKey)
      .some(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (isNeeded) return {};
    const pass = new Pass(context, this.#dependencies.clock);
    await pass.run(() =>
      wrapTenantError(removeFinalizer(tenant.client.resource(PersistentVolumeClaims), claim, CLAIM_FINALIZER)),
    );
    return pass.end();
  }

  async #bindSnapshot(snapshot: VolumeSnapshot, scope: SnapshotScope, pass: Pass): Promise<void> {
    const { events } = this.#dependencies;
    const { tenant, kinds } = scope;
    const { claims, volumes } = storageOf(tenant);
    const claim = claims.get(`${snapshot.metadata.namespace}/${snapshot.spec.source.persistentVolumeClaimName}`);
    const step = bindingStep(snapshot, {
      content: kinds.contents.get(contentNameFor(snapshot) ?? ''),
      claim,
      volume: volumes.get(claim?.spec.volumeName ?? ''),
      classes: kinds.classes.list(),
    });
    switch (step.kind) {
      case 'foreign':
        events.warning(tenant, VolumeSnapshots, snapshot, 'SnapshotNotServed', step.message);
        return;
      case 'refuse':
        return this.#fail(snapshot, step, scope, pass);
      case 'create': {
        const { refusals, warnings } = snapshotLimit(scope, this.#dependencies.clock, pass);
        const [refusal] = refusals;
        if (refusal !== undefined)
          return this.#fail(snapshot, { reason: 'PlanLimitExceeded', message: refusal }, scope, pass);
        for (const warning of warnings) events.warning(tenant, VolumeSnapshots, snapshot, 'PlanLimitExceeded', warning);
        await this.#protect(snapshot, step.content, scope, pass.signal);
        if (claim) {
          const client = tenant.client.resource(PersistentVolumeClaims);
          await wrapTenantError(ensureFinalizer(client, claim, CLAIM_FINALIZER));
        }
        await this.#create(step.content, scope, pass.signal);
        const { namespace, name } = snapshot.metadata;
        const text = `Waiting for a snapshot ${namespace}/${name} to be created by the CSI driver.`;
        events.normal(tenant, VolumeSnapshots, snapshot, 'CreatingSnapshot', text);
        return this.#follow(snapshot, step.content, scope, pass);
      }
      case 'bind':
        await this.#protect(snapshot, step.content, scope, pass.signal);
        return this.#bindTo(snapshot, step.content, scope, pass.signal);
      case 'follow':
        await this.#protect(snapshot, step.content, scope, pass.signal);
        return this.#follow(snapshot, step.content, scope, pass);
    }
  }

  /** Protects the VolumeSnapshot until its content is deleted, and while volumes are created from it. */
  async #protect(
    snapshot: VolumeSnapshot,
    { spec }: VolumeSnapshotContent,
    { tenant }: SnapshotScope,
    signal: AbortSignal,
  ): Promise<void> {
    const { name = '', namespace = '', uid, resourceVersion, finalizers = [] } = snapshot.metadata;
    const desired = spec.deletionPolicy === 'Delete' ? [SOURCE_FINALIZER, BOUND_FINALIZER] : [SOURCE_FINALIZER];
    const missingFinalizers = desired.filter((finalizer) => !finalizers.includes(finalizer));
    if (missingFinalizers.length === 0) return;
    const value = { metadata: { uid, resourceVersion, finalizers: [...finalizers, ...missingFinalizers] } };
    const client = tenant.client.resource(VolumeSnapshots);
    await wrapTenantError(client.patch(name, { type: 'merge', value }, { namespace, signal }));
  }

  async #create(content: VolumeSnapshotContent, { tenant }: SnapshotScope, signal: AbortSignal): Promise<void> {
    const item = `${tenant.clusterUid}/${content.metadata.name}`;
    await this.#dependencies.attempts.withBackoff({ kind: 'present snapshot', item }, async () => {
      try {
        await wrapTenantError(tenant.client.resource(VolumeSnapshotContents).create(content, { signal }));
      } catch (error) {
        // The next event shows the owner of the existing content.
        if (!(error instanceof TenantApiError && isApiError(error.cause, 'AlreadyExists'))) throw error;
      }
    });
  }

  async #bindTo(
    { metadata, spec: { volumeSnapshotClassName } }: VolumeSnapshot,
    content: VolumeSnapshotContent,
    { tenant }: SnapshotScope,
    signal: AbortSignal,
  ): Promise<void> {
    const { name = '', uid, resourceVersion } = content.metadata;
    const spec = {
      volumeSnapshotRef: { uid: metadata.uid },
      ...(volumeSnapshotClassName !== undefined && { volumeSnapshotClassName }),
    };
    const value = { metadata: { uid, resourceVersion }, spec };
    const client = tenant.client.resource(VolumeSnapshotContents);
    const item = `${tenant.clusterUid}/${name}`;
    await this.#dependencies.attempts.withBackoff({ kind: 'bind snapshot', item }, () =>
      wrapTenantError(ignoreDeleted(client.patch(name, { type: 'merge', value }, { signal }))),
    );
  }

  /** Copies the status of the content to its VolumeSnapshot. */
  async #follow(
    snapshot: VolumeSnapshot,
    content: VolumeSnapshotContent,
    { tenant }: SnapshotScope,
    { signal }: Pass,
  ): Promise<void> {
    const { events, recorded } = this.#dependencies;
    const status = snapshotStatus(snapshot, content);
    if (status === undefined) return;
    const { message } = content.status?.error ?? {};
    const isError = message !== undefined && snapshot.status?.error?.message !== message;
    if (!recorded.shouldRecord(tenant, snapshot, 'status', message ?? '') && isError) return;
    await writeStatus(this.#dependencies, tenant, VolumeSnapshots, snapshot, status, signal);
    if (status.readyToUse !== true || snapshot.status?.readyToUse === true) return;
    const name = `${snapshot.metadata.namespace}/${snapshot.metadata.name}`;
    if (content.spec.source.volumeHandle) {
      const text = `Snapshot ${name} was successfully created by the CSI driver.`;
      events.normal(tenant, VolumeSnapshots, snapshot, 'SnapshotCreated', text);
    }
    events.normal(tenant, VolumeSnapshots, snapshot, 'SnapshotReady', `Snapshot ${name} is ready to use.`);
  }

  async #fail(
    snapshot: VolumeSnapshot,
    { reason, message }: { readonly reason: string; readonly message: string },
    { tenant }: SnapshotScope,
    pass: Pass,
  ): Promise<void> {
    const { clock, events, recorded } = this.#dependencies;
    events.warning(tenant, VolumeSnapshots, snapshot, reason, message);
    const status = failedStatus(snapshot, message, clock.now());
    if (status === undefined || !recorded.shouldRecord(tenant, snapshot, 'status', message)) return;
    await writeStatus(this.#dependencies, tenant, VolumeSnapshots, snapshot, status, pass.signal);
  }

  /** Removes the finalizers of a VolumeSnapshot that is being deleted, once nothing needs them. */
  async #end(snapshot: VolumeSnapshot, scope: SnapshotScope, pass: Pass): Promise<void> {
    const { tenant } = scope;
    const isProtected = [SOURCE_FINALIZER, BOUND_FINALIZER].some((finalizer) => hasFinalizer(snapshot, finalizer));
    if (!isProtected) return;
    if (this.#isBeingRestored(snapshot, scope)) {
      const text = 'Snapshot is being used to restore a PVC';
      this.#dependencies.events.warning(tenant, VolumeSnapshots, snapshot, 'SnapshotDeletePending', text);
      pass.requeueAfter(RETRY_MS);
      return;
    }
    const content = await this.#boundContent(snapshot, scope, pass.signal);
    // The controller of that driver removes the finalizers.
    if (content && content.spec.driver !== DRIVER) return;
    if (content) await this.#deleteContent(content, scope, pass.signal);
    if (content?.spec.deletionPolicy === 'Delete') {
      // The VolumeSnapshot is enqueued again once the content has been deleted.
      pass.requeueAfter(RETRY_MS);
      return;
    }
    const { name = '', namespace = '', uid, resourceVersion, finalizers = [] } = snapshot.metadata;
    const left = finalizers.filter((each) => each !== SOURCE_FINALIZER && each !== BOUND_FINALIZER);
    const value = { metadata: { uid, resourceVersion, finalizers: left.length > 0 ? left : null } };
    const client = tenant.client.resource(VolumeSnapshots);
    await wrapTenantError(
      ignoreDeleted(client.patch(name, { type: 'merge', value }, { namespace, signal: pass.signal })),
    );
  }

  #isBeingRestored({ metadata }: VolumeSnapshot, { tenant }: SnapshotScope): boolean {
    const { claims, classes } = storageOf(tenant);
    return claims
      .find(claimsBySnapshot, `${metadata.namespace}/${metadata.name}`)
      .some((claim) => needsProvisioning(claim, classes.get(claim.spec.storageClassName ?? '')));
  }

  /** The content bound to the VolumeSnapshot, read from the API because a new content is not in the cache yet. */
  async #boundContent(
    snapshot: VolumeSnapshot,
    { tenant }: SnapshotScope,
    signal: AbortSignal,
  ): Promise<VolumeSnapshotContent | undefined> {
    const name = snapshot.status?.boundVolumeSnapshotContentName || contentNameFor(snapshot);
    if (name === undefined) return undefined;
    const client = tenant.client.resource(VolumeSnapshotContents);
    const found = await wrapTenantError(undefinedIfNotFound(client.get(name, { signal })));
    return found && isBoundTo(snapshot, readContent(found)) ? readContent(found) : undefined;
  }

  /** Records on the content that its snapshot may be deleted, and deletes the content if required. */
  async #deleteContent(content: VolumeSnapshotContent, { tenant }: SnapshotScope, signal: AbortSignal): Promise<void> {
    const { name = '', uid, annotations, deletionTimestamp } = content.metadata;
    const client = tenant.client.resource(VolumeSnapshotContents);
    if (annotations?.[BEING_DELETED_ANNOTATION] === undefined) {
      const value = { metadata: { uid, annotations: { [BEING_DELETED_ANNOTATION]: 'yes' } } };
      await wrapTenantError(ignoreDeleted(client.patch(name, { type: 'merge', value }, { signal })));
    }
    if (content.spec.deletionPolicy !== 'Delete' || deletionTimestamp !== undefined) return;
    await wrapTenantError(ignoreDeleted(client.delete(name, { signal, ...(uid !== undefined && { uid }) })));
  }
}
