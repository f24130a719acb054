import { featureExcess } from '@fairway/api/limits/in-cluster';
import { trimmedEnd } from '@fairway/base/trim';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import type { Share, ShareCreate } from '@fairway/openstack/types/shared-file-system';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { isClaimAllowed, UNKNOWN_PLAN_RETRY_MS } from '../volumes/claim-limits.ts';
import type { CreateOptions } from '../volumes/owned-storage.ts';
import { buildStorage, type WaitingClaim } from '../volumes/storage-creation.ts';
import type { StorageDependencies } from '../volumes/storage-dependencies.ts';
import type { ClaimProvisioner } from '../volumes/storage-reconciler.ts';
import type { StorageScope } from '../volumes/storage-scope.ts';
import { storageOf, volumeNameOf } from '../volumes/tenant-storage.ts';
import { needsProvisioning } from '../volumes/volume-plan.ts';
import { createPersistentVolume } from '../volumes/volume-presentation.ts';
import { SHARE_DRIVER } from './driver.ts';
import { exportPath } from './export-path.ts';
import { OwnShareNetworks } from './own-share-networks.ts';
import type { ShareAccess } from './share-access.ts';
import type { ShareBackend } from './share-backend.ts';
import { shareOffer } from './share-offer.ts';
import { accessLevel, planShare, type SharePlan } from './share-plan.ts';
import { shareVolume } from './share-volume.ts';

/** How often to check whether the cloud now offers what a class requests. */
const REJECTED_RETRY_MS = 900_000;

interface ShareDependencies extends StorageDependencies<Share> {
  readonly backend: ShareBackend;
  readonly access: ShareAccess;
}

/**
 * Creates shares for PersistentVolumeClaims, as external-provisioner does with manila-csi-plugin, for all tenants'
 * clusters.
 *
 * **Guarantees.** A claim gets one share, which is found by the tags set on creation. Its PersistentVolume is created
 * once the share is usable and all nodes that exist by then have access.
 */
export class ShareProvisioner implements ClaimProvisioner {
  readonly #dependencies: ShareDependencies;
  readonly #networks = new OwnShareNetworks();

  constructor(dependencies: ShareDependencies) {
    this.#dependencies = dependencies;
  }

  async serve(key: string, claimKey: string, scope: StorageScope, context: ReconcileContext): Promise<Result> {
    const { cache, clock, conventions, events } = this.#dependencies;
    const { tenant, cluster, cloud } = scope;
    const { claims, classes, volumes } = storageOf(tenant);
    const claim = claims.get(claimKey);
    const storageClass = classes.get(claim?.spec.storageClassName ?? '');
    if (claim === undefined || !needsProvisioning(claim, storageClass, SHARE_DRIVER)) return {};
    // The PersistentVolume already exists, and Kubernetes binds the claim to it.
    if (volumes.get(volumeNameOf(claim))) return {};
    const limits = conventions.limitsOf(cluster, cache.plans);
    if (limits === undefined) return { requeueAfterMs: UNKNOWN_PLAN_RETRY_MS };
    const waiting = { key, tenant, claim, storageClass };
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(async () => {
      const excess = featureExcess(limits, 'Shares');
      const excesses = excess ? [excess] : [];
      if (!isClaimAllowed(this.#dependencies, waiting, { excesses, limits }, pass)) return;
      await requireOwnProject(cloud, cluster);
      const plan = await this.#plan(claim, storageClass, cloud, pass.signal);
      if (plan.kind === 'refuse') {
        events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', plan.message);
        pass.requeueAfter(REJECTED_RETRY_MS);
        return;
      }
      await this.#provision(waiting, plan.request, scope, pass);
    });
    if (failure && failure.reason !== 'Provisioning') {
      const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${failure.message}`;
      events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', message);
    }
    return pass.end();
  }

  async #plan(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass,
    cloud: ProjectCloud,
    signal: AbortSignal,
  ): Promise<SharePlan> {
    const plan = planShare(claim, storageClass, await shareOffer(cloud, signal));
    const networkID = plan.kind === 'create' ? plan.request.share_network_id : undefined;
    const problem = networkID === undefined ? undefined : await this.#networks.networkProblem(cloud, networkID, signal);
    if (problem === undefined) return plan;
    return { kind: 'refuse', message: `StorageClass ${storageClass.metadata.name}: ${problem}` };
  }

  async #provision(waiting: WaitingClaim, request: ShareCreate, scope: StorageScope, pass: Pass): Promise<void> {
    const { backend } = this.#dependencies;
    const { tenant, claim, storageClass } = waiting;
    const { cloud } = scope;
    const owner = { clusterUid: tenant.clusterUid, object: volumeNameOf(claim) };
    const steps = {
      create: (options: CreateOptions) => backend.create(cloud, owner, named(owner, claim, request), options),
      failureMessage: (share: Share) => failureMessage(cloud, share, request, pass.signal),
    };
    const share = await buildStorage(this.#dependencies, cloud, waiting, steps, pass);
    if (share === undefined || !(await this.#openAccess(waiting, owner, share, scope, pass))) return;
    const locations = await cloud.attempts.withBackoff({ kind: 'list export locations', item: share.id }, () =>
      cloud.client.sharedFileSystem.shares.exportLocations(share.id, { signal: pass.signal }),
    );
    const path = exportPath(locations);
    if (path === undefined) {
      pass.requeueAfter(REJECTED_RETRY_MS);
      const message = `shared-file-system: share ${share.id} has no export location that nodes can mount with NFS over IPv4`;
      throw new ProblemError({ reason: 'CloudUnavailable', message });
    }
    const volume = shareVolume(claim, storageClass, path, share);
    await createPersistentVolume(this.#dependencies, waiting, share, volume, pass.signal);
  }

  /** Resolves with whether nodes have access. A rejected rule for one node does not delay the others. */
  async #openAccess(
    { key, claim }: WaitingClaim,
    owner: StorageOwner,
    share: Share,
    scope: StorageScope,
    pass: Pass,
  ): Promise<boolean> {
    const { access } = this.#dependencies;
    try {
      return await access.ensureAccess({ key, owner, share, level: accessLevel(claim.spec.accessModes) }, scope, pass);
    } catch (error) {
      if (pass.signal.aborted || !access.isAccessible(share)) throw error;
      return true;
    }
  }
}

/** Uses the keys that manila-csi-plugin writes, which users and tools look for. */
function named({ clusterUid, object }: StorageOwner, claim: PersistentVolumeClaim, request: ShareCreate): ShareCreate {
  const { name = '', namespace = '' } = claim.metadata;
  return {
    ...request,
    name: object,
    description: `Fairway cluster ${clusterUid} ${object}`,
    metadata: {
      ...request.metadata,
      [`${SHARE_DRIVER}/cluster`]: clusterUid,
      'csi.storage.k8s.io/pvc/name': name,
      'csi.storage.k8s.io/pvc/namespace': namespace,
      'csi.storage.k8s.io/pv/name': object,
    },
  };
}

/** Manila reports in user messages why a share failed. */
async function failureMessage(
  { client }: ProjectCloud,
  { id }: Share,
  { size, share_type: type, availability_zone: zone }: ShareCreate,
  signal: AbortSignal,
): Promise<string> {
  const [message] = await client.sharedFileSystem.messages(id, { signal }).catch(() => []);
  const where = zone === undefined ? '' : ` in zone ${zone}`;
  const what = `shared-file-system: Manila failed to create a share of ${size} GiB${type === undefined ? '' : ` of type ${type}`}${where}`;
  const cause =
    message?.user_message?.slice(0, 500) ??
    'it ended in status error; the operator can find the cause in the Manila log';
  return `${what}: ${trimmedEnd(cause, '.; \t\r\n')}; Fairway retries automatically`;
}
