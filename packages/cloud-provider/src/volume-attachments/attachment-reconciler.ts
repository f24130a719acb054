import { splitKey } from '@fairway/kube/client/object-key';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { PersistentVolume, VolumeAttachment } from '@fairway/kube/kinds/generated/types';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { type StorageScope, storageScope } from '../volumes/storage-scope.ts';
import type { StorageWatch } from '../volumes/storage-watch.ts';
import { storageOf } from '../volumes/tenant-storage.ts';
import { findVolume, markStatus } from './attachable-volume.ts';
import { type AttachmentStep, attachmentSteps, type DesiredAttachment } from './attachment-plan.ts';
import { AttachmentWriter } from './attachment-writer.ts';
import { attachmentsByVolume, attachmentsOf } from './tenant-attachments.ts';

interface AttachmentDependencies extends Pick<CloudProviderDependencies, 'cache' | 'clouds' | 'tenants' | 'clock'> {
  readonly storageWatch: StorageWatch<Volume>;
}

/** How often to check volumes that are not in the project's lists, because Fairway did not create them. */
const UNLISTED_RETRY_MS = 10_000;
/** How often to check a volume while another change to it is in progress. */
const OTHER_DRIVER_RETRY_MS = 30_000;

/**
 * Attaches volumes to the servers of nodes and detaches them, as external-attacher does with cinder-csi-plugin.
 *
 * **Guarantees.** A node's server is determined by its Machine; the Node's own claims are ignored. A volume with
 * another cluster's tags is not touched, regardless of what a PersistentVolume contains. Nothing here waits for Nova or
 * Cinder: the project's lists show the result.
 */
export class AttachmentReconciler {
  readonly #dependencies: AttachmentDependencies;

  constructor(dependencies: AttachmentDependencies) {
    this.#dependencies = dependencies;
  }

  /** Drops the state of clusters that another replica takes over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    const { storageWatch, tenants } = this.#dependencies;
    storageWatch.forget((clusterUid) => {
      const tenant = tenants.get(clusterUid);
      return tenant === undefined || isMatching(tenant.clusterKey);
    });
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { storageWatch, clock } = this.#dependencies;
    const [clusterUid = '', name = ''] = key.split('/');
    const scope = this.#scopeOf(clusterUid);
    const owner = { clusterUid, object: name };
    if (scope === undefined) {
      storageWatch.settle(owner);
      return {};
    }
    const { tenant } = scope;
    const volume = storageOf(tenant).volumes.get(name);
    const attachments = oldestFirst(attachmentsOf(tenant).find(attachmentsByVolume, name));
    const writer = new AttachmentWriter(tenant, volume, clock);
    const pass = new Pass(context, clock);
    if (attachments.length === 0) {
      storageWatch.settle(owner);
      await pass.run(() => writer.releaseVolume());
      return pass.end();
    }
    const { value: plan, failure } = await pass.run(() => this.#plan(name, volume, attachments, scope, pass));
    if (failure) await recordEvent(attachments, failure, writer, pass);
    const handledSteps: AttachmentStep[] = [];
    for (const step of plan?.steps ?? []) {
      const attachment = attachments.find(({ metadata }) => metadata.name === step.name);
      if (attachment === undefined) continue;
      if (await this.#runStep(step, attachment, plan?.volume, { cloud: scope.cloud, writer }, pass))
        handledSteps.push(step);
    }
    if (plan) this.#expectChange(owner, handledSteps, { key, cloud: scope.cloud }, pass);
    return pass.end();
  }

  async #plan(
    name: string,
    object: PersistentVolume | undefined,
    attachments: readonly VolumeAttachment[],
    { tenant, cluster, cloud }: StorageScope,
    { signal }: Pass,
  ): Promise<{ readonly volume: Volume | undefined; readonly steps: readonly AttachmentStep[] }> {
    await requireOwnProject(cloud, cluster);
    const volume = await findVolume(cloud, { clusterUid: tenant.clusterUid, name }, object, signal);
    const desired = attachments.map((attachment): DesiredAttachment => {
      const { nodeName } = attachment.spec;
      const serverID = this.#serverOf(tenant, nodeName);
      return { name: attachment.metadata.name ?? '', nodeName, serverID, isBeingDeleted: isBeingDeleted(attachment) };
    });
    return { volume, steps: attachmentSteps(volume, desired, (serverID) => this.#nodeOf(tenant, serverID)) };
  }

  /** Resolves with whether the step succeeded. */
  async #runStep(
    step: AttachmentStep,
    attachment: VolumeAttachment,
    volume: Volume | undefined,
    { cloud, writer }: { readonly cloud: ProjectCloud; readonly writer: AttachmentWriter },
    pass: Pass,
  ): Promise<boolean> {
    const { failure } = await pass.run(async () => {
      switch (step.kind) {
        case 'attached':
          return writer.reportAttached(attachment, step.device);
        case 'detached':
          return writer.release(attachment);
        case 'impossible':
          return writer.reportError(attachment, step.message);
        case 'wait':
          return;
        case 'attach':
          await writer.protect(attachment);
          return change(cloud, volume, step, pass.signal);
        case 'detach':
          return change(cloud, volume, step, pass.signal);
      }
    });
    if (failure) await recordEvent([attachment], failure, writer, pass);
    return failure === undefined;
  }

  /** Lists are frequent while a change in Nova is in progress, and shared by all clusters in the project. */
  #expectChange(
    owner: StorageOwner,
    steps: readonly AttachmentStep[],
    { key, cloud }: { readonly key: string; readonly cloud: ProjectCloud },
    pass: Pass,
  ): void {
    const isDetaching = steps.some((each) => each.kind === 'detach' || isWaitingFor(each, 'detachment'));
    const isAttaching = steps.some((each) => each.kind === 'attach' || isWaitingFor(each, 'attachment'));
    const expectedChange = isDetaching ? 'deletion' : isAttaching ? 'build' : undefined;
    this.#dependencies.storageWatch.expect(owner, key, cloud.cache.volumes, expectedChange);
    if (expectedChange) pass.requeueAfter(UNLISTED_RETRY_MS);
    if (steps.some((each) => each.kind === 'impossible' || isWaitingFor(each, 'other')))
      pass.requeueAfter(OTHER_DRIVER_RETRY_MS);
  }

  #serverOf(tenant: TenantCluster, nodeName: string): string | undefined {
    const { cache } = this.#dependencies;
    const { namespace } = splitKey(tenant.clusterKey);
    const machine = cache.machines.get(`${namespace}/${nodeName}`);
    return machine && clusterKeyOf(machine) === tenant.clusterKey ? machine.status?.serverID : undefined;
  }

  #nodeOf({ clusterKey }: TenantCluster, serverID: string): string | undefined {
    const own = this.#dependencies.cache.machines.find(machinesByCluster, clusterKey);
    return own.find(({ status }) => status?.serverID === serverID)?.metadata.name;
  }

  /** Undefined while the cluster must be left alone. */
  #scopeOf(clusterUid: string): StorageScope | undefined {
    const isSynced = (tenant: TenantCluster) => attachmentsOf(tenant).hasSynced && storageOf(tenant).volumes.hasSynced;
    return storageScope(this.#dependencies, clusterUid, isSynced);
  }
}

function isWaitingFor(step: AttachmentStep, what: 'attachment' | 'detachment' | 'other'): boolean {
  return step.kind === 'wait' && step.pendingChange === what;
}

async function change(
  cloud: ProjectCloud,
  volume: Volume | undefined,
  { kind, serverID }: Extract<AttachmentStep, { kind: 'attach' | 'detach' }>,
  signal: AbortSignal,
): Promise<void> {
  if (volume === undefined) return;
  const { servers } = cloud.client.compute;
  const attempt = { kind: `${kind} volumes`, item: `${volume.id}/${serverID}` };
  await cloud.attempts.withBackoff<unknown>(attempt, () =>
    kind === 'attach'
      ? servers.attachVolume(serverID, volume.id, { signal })
      : ignoreNotFound(servers.detachVolume(serverID, volume.id, { signal })),
  );
  markStatus(cloud, volume, kind === 'attach' ? 'attaching' : 'detaching');
}

/** Records the failure in an Event, unless a change is still in progress, which is not an error. */
async function recordEvent(
  attachments: readonly VolumeAttachment[],
  { reason, message }: Failure,
  writer: AttachmentWriter,
  pass: Pass,
): Promise<void> {
  if (reason === 'Provisioning') return;
  for (const attachment of attachments) await pass.run(() => writer.reportError(attachment, message));
}

/** Ordered by name if created in the same second. */
function oldestFirst(attachments: readonly VolumeAttachment[]): readonly VolumeAttachment[] {
  const keyOf = ({ metadata }: VolumeAttachment) => `${metadata.creationTimestamp} ${metadata.name}`;
  return attachments.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
