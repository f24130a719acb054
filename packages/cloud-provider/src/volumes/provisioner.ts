import { storageLimits } from '@fairway/api/domain/plan-storage';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { isClaimAllowed, UNKNOWN_PLAN_RETRY_MS } from './claim-limits.ts';
import { DRIVER, SELECTED_NODE_ANNOTATION } from './driver.ts';
import type { CreateOptions } from './owned-storage.ts';
import { createVolume } from './owned-volumes.ts';
import { persistentVolume } from './persistent-volume.ts';
import { claimExcesses } from './plan-problem.ts';
import { buildStorage, type WaitingClaim } from './storage-creation.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { storageOffer } from './storage-offer.ts';
import type { ClaimProvisioner } from './storage-reconciler.ts';
import type { StorageScope } from './storage-scope.ts';
import { storageOf, volumeNameOf } from './tenant-storage.ts';
import { findOrigin } from './volume-origin.ts';
import { type ClusterFacts, needsProvisioning, type PlannedVolume, planVolume, zoneOfNode } from './volume-plan.ts';
import { createPersistentVolume } from './volume-presentation.ts';

/** How often to check whether the cloud now offers what a class requests. */
const REJECTED_RETRY_MS = 900_000;

/**
 * Creates volumes for PersistentVolumeClaims, as external-provisioner does with cinder-csi-plugin, for all tenants'
 * clusters.
 *
 * **Guarantees.** A claim gets one volume, even after crashes and retries: the volume is found by the tags of its
 * cluster and claim, which are set on creation. The PersistentVolume is created once the volume is usable. A volume
 * that fails in Cinder is deleted and recreated.
 */
export class Provisioner implements ClaimProvisioner {
  readonly #dependencies: StorageDependencies<Volume>;

  constructor(dependencies: StorageDependencies<Volume>) {
    this.#dependencies = dependencies;
  }

  async serve(key: string, claimKey: string, scope: StorageScope, context: ReconcileContext): Promise<Result> {
    const { cache, clock, conventions, events } = this.#dependencies;
    const { tenant, cluster, cloud } = scope;
    const { claims, classes, volumes } = storageOf(tenant);
    const claim = claims.get(claimKey);
    const storageClass = classes.get(claim?.spec.storageClassName ?? '');
    // If the PersistentVolume already exists, Kubernetes binds the claim to it.
    if (claim === undefined || !needsProvisioning(claim, storageClass) || volumes.get(volumeNameOf(claim))) return {};
    const limits = conventions.limitsOf(cluster, cache.plans);
    // The plan is not in the cache yet: it exists as long as clusters use it.
    if (limits === undefined) return { requeueAfterMs: UNKNOWN_PLAN_RETRY_MS };
    const waiting = { key, tenant, claim, storageClass };
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(async () => {
      const excesses = claimExcesses(claim, storageClass, storageLimits(limits));
      if (!isClaimAllowed(this.#dependencies, waiting, { excesses, limits }, pass)) return;
      await requireOwnProject(cloud, cluster);
      const offer = await storageOffer(cloud, pass.signal);
      const origin = await findOrigin(claim, scope, pass.signal);
      const volumePlan =
        typeof origin === 'string'
          ? ({ kind: 'refuse', message: origin } as const)
          : planVolume(claim, storageClass, clusterFactsFor(tenant, claim), offer, origin);
      if (volumePlan.kind === 'reschedule') return this.#reschedule(waiting, volumePlan.message, pass.signal);
      if (volumePlan.kind === 'refuse') {
        events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', volumePlan.message);
        pass.requeueAfter(REJECTED_RETRY_MS);
        return;
      }
      await this.#provision(cloud, waiting, volumePlan.volume, pass);
    });
    if (failure && failure.reason !== 'Provisioning') {
      const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${failure.message}`;
      events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', message);
    }
    return pass.end();
  }

  async #provision(cloud: ProjectCloud, waiting: WaitingClaim, planned: PlannedVolume, pass: Pass): Promise<void> {
    const { tenant, claim, storageClass } = waiting;
    const owner = { clusterUid: tenant.clusterUid, object: volumeNameOf(claim) };
    const steps = {
      create: (options: CreateOptions) => createVolume(cloud, owner, requestOf(owner, claim, planned), options),
      failureMessage: () => Promise.resolve(failureMessage(planned)),
    };
    const volume = await buildStorage(this.#dependencies, cloud, waiting, steps, pass);
    if (volume === undefined) return;
    const object = persistentVolume(claim, storageClass, planned, volume);
    await createPersistentVolume(this.#dependencies, waiting, volume, object, pass.signal);
  }

  /** Clears the node that the scheduler selected, so that it selects a different one. */
  async #reschedule({ tenant, claim }: WaitingClaim, message: string, signal: AbortSignal): Promise<void> {
    this.#dependencies.events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', message);
    const { name = '', namespace = '', uid, resourceVersion } = claim.metadata;
    const value = { metadata: { uid, resourceVersion, annotations: { [SELECTED_NODE_ANNOTATION]: null } } };
    const claims = tenant.client.resource(PersistentVolumeClaims);
    await wrapTenantError(ignoreDeleted(claims.patch(name, { type: 'merge', value }, { namespace, signal })));
  }
}

function clusterFactsFor({ nodes }: TenantCluster, { metadata }: PersistentVolumeClaim): ClusterFacts {
  const selected = metadata.annotations?.[SELECTED_NODE_ANNOTATION];
  const node = selected === undefined ? undefined : nodes.get(selected);
  return {
    selectedNode: node && (node.metadata.labels ?? {}),
    nodeZones: nodes.list().flatMap(({ metadata: { labels } }) => zoneOfNode(labels) ?? []),
  };
}

/** Uses the metadata keys that cinder-csi-plugin writes, because users and tools look for them. */
function requestOf({ clusterUid, object }: StorageOwner, claim: PersistentVolumeClaim, { request }: PlannedVolume) {
  const { name = '', namespace = '' } = claim.metadata;
  return {
    ...request,
    name: object,
    description: `Fairway cluster ${clusterUid} ${object}`,
    metadata: {
      [`${DRIVER}/cluster`]: clusterUid,
      'csi.storage.k8s.io/pvc/name': name,
      'csi.storage.k8s.io/pvc/namespace': namespace,
      'csi.storage.k8s.io/pv/name': object,
    },
  };
}

function failureMessage({ request }: PlannedVolume): string {
  const { size, volume_type: type, availability_zone: zone } = request;
  const where = zone === undefined ? '' : ` in zone ${zone}`;
  return `block-storage: Cinder failed to create a volume of ${size} GiB${type === undefined ? '' : ` of type ${type}`}${where}: it ended in status error; Fairway retries automatically, and the operator can find the cause in the Cinder log`;
}
