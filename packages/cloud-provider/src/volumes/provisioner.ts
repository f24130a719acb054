import { storageLimits } from '@fairway/api/domain/plan-storage';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant, TenantApiError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { DRIVER, SELECTED_NODE } from './driver.ts';
import { createVolume, deleteVolume, ownedVolumes } from './owned-volumes.ts';
import { persistentVolume } from './persistent-volume.ts';
import type { StorageDependencies } from './storage-dependencies.ts';
import { storageOffer } from './storage-offer.ts';
import type { StoragePlace } from './storage-place.ts';
import { storageOf, volumeNameOf } from './tenant-storage.ts';
import { findOrigin } from './volume-origin.ts';
import { type ClusterFacts, isToProvision, type PlannedVolume, planVolume, zoneOfNode } from './volume-plan.ts';

/** How often to look whether the cloud offers meanwhile what a class asks for. */
const REFUSED_RETRY_MS = 900_000;
const PLAN_RETRY_MS = 60_000;

/** A claim that waits for a volume, in its cluster. */
interface Waiting {
  readonly key: string;
  readonly tenant: TenantCluster;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

/**
 * Makes volumes for PersistentVolumeClaims, as external-provisioner does with cinder-csi-plugin, for all tenants' clusters.
 *
 * **Guarantees.** A claim gets one volume, whatever is killed or repeated: it is found by the marks of its cluster and claim, which it carries from
 * its creation on. Its PersistentVolume is written when the volume can be used; one that Cinder fails to make is deleted and made anew.
 */
export class Provisioner {
  readonly #dependencies: StorageDependencies;

  constructor(dependencies: StorageDependencies) {
    this.#dependencies = dependencies;
  }

  /** For the claim `claimKey`, if it waits for a volume. */
  async serve(key: string, claimKey: string, place: StoragePlace, context: ReconcileContext): Promise<Result> {
    const { cache, clock, events } = this.#dependencies;
    const { tenant, cluster, cloud } = place;
    const { claims, classes, volumes } = storageOf(tenant);
    const claim = claims.get(claimKey);
    const storageClass = classes.get(claim?.spec.storageClassName ?? '');
    // The binder binds the claim to a volume that is there.
    if (claim === undefined || !isToProvision(claim, storageClass) || volumes.get(volumeNameOf(claim))) return {};
    const plan = cache.plans.get(cluster.spec.plan);
    // Its plan will be seen: it stays as long as clusters use it.
    if (plan === undefined) return { requeueAfterMs: PLAN_RETRY_MS };
    const limits = storageLimits(plan.spec);
    const waiting = { key, tenant, claim, storageClass };
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(async () => {
      await requireOwnProject(cloud, cluster);
      const offer = await storageOffer(cloud, pass.signal);
      const origin = await findOrigin(claim, place, pass.signal);
      const volumePlan =
        typeof origin === 'string'
          ? ({ kind: 'refuse', message: origin } as const)
          : planVolume(claim, storageClass, { ...factsFor(tenant, claim), limits }, offer, origin);
      if (volumePlan.kind === 'reschedule') return this.#reschedule(waiting, volumePlan.message, pass.signal);
      if (volumePlan.kind === 'refuse') {
        events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', volumePlan.message);
        pass.againIn(REFUSED_RETRY_MS);
        return;
      }
      await this.#provision(cloud, waiting, volumePlan.volume, pass.signal);
    });
    if (failure && failure.reason !== 'Provisioning') {
      const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${failure.message}`;
      events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', message);
    }
    return pass.end();
  }

  async #provision(
    cloud: ProjectCloud,
    { key, tenant, claim, storageClass }: Waiting,
    planned: PlannedVolume,
    signal: AbortSignal,
  ): Promise<void> {
    const { awaited, builds, events } = this.#dependencies;
    const owner = { clusterUid: tenant.clusterUid, object: volumeNameOf(claim) };
    const build = { group: `${tenant.clusterUid}/${storageClass.metadata.name}`, item: storageKey(owner) };
    const { volumes, deleting } = await ownedVolumes(cloud, owner, signal);
    const [volume, ...doubles] = volumes;
    for (const double of doubles) await deleteVolume(cloud, double, signal);
    if (volume?.status === 'available') {
      awaited.settle(owner, 'build');
      builds.succeeded(build);
      await this.#present(tenant, persistentVolume(claim, storageClass, planned, volume), signal);
      events.normal(
        tenant,
        PersistentVolumeClaims,
        claim,
        'ProvisioningSucceeded',
        `Successfully provisioned volume ${owner.object}`,
      );
      return;
    }
    if (volume?.status === 'error_deleting') {
      awaited.settle(owner);
      // Another one would end like it.
      const message = `block-storage: Cinder could not make volume ${volume.id}, nor delete it: the operator of the cloud has to reset its status`;
      builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message }));
    }
    if (volume?.status === 'error') {
      await deleteVolume(cloud, volume, signal);
      awaited.settle(owner);
      builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message: failedWords(planned) }));
    }
    if (volume === undefined && deleting.length > 0) {
      awaited.expect(owner, key, cloud.cache.volumes, 'deletion');
      return;
    }
    if (volume === undefined) {
      awaited.settle(owner);
      const { namespace, name } = claim.metadata;
      const message = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
      events.normal(tenant, PersistentVolumeClaims, claim, 'Provisioning', message);
      const request = requestOf(owner, claim, planned);
      const options = { signal, connection: tenant.signal, group: build.group };
      await builds.send(build, () => createVolume(cloud, owner, request, options));
    }
    awaited.expect(owner, key, cloud.cache.volumes, 'build');
  }

  /** Writes the PersistentVolume. Rejects if there is one of its name for another volume. */
  async #present(tenant: TenantCluster, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
    const name = volume.metadata.name ?? '';
    const client = tenant.client.resource(PersistentVolumes);
    await this.#dependencies.attempts.make(
      { kind: 'present volume', item: `${tenant.clusterUid}/${name}` },
      async () => {
        try {
          await ofTenant(client.create(volume, { signal }));
        } catch (error) {
          if (!(error instanceof TenantApiError && isApiError(error.cause, 'AlreadyExists'))) throw error;
          const { spec } = await ofTenant(client.get(name, { signal }));
          if (spec.csi?.volumeHandle === volume.spec.csi?.volumeHandle) return;
          const message = `PersistentVolume ${name} exists, and not for the volume that was made for the claim: delete one of them`;
          throw new ProblemError({ reason: 'ConfigurationInvalid', message });
        }
      },
    );
  }

  /** Takes the scheduler's choice back, so that it makes another. */
  async #reschedule({ tenant, claim }: Waiting, message: string, signal: AbortSignal): Promise<void> {
    this.#dependencies.events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', message);
    const { name = '', namespace = '', uid, resourceVersion } = claim.metadata;
    const value = { metadata: { uid, resourceVersion, annotations: { [SELECTED_NODE]: null } } };
    const claims = tenant.client.resource(PersistentVolumeClaims);
    await ofTenant(ignoreGone(claims.patch(name, { type: 'merge', value }, { namespace, signal })));
  }
}

function factsFor({ nodes }: TenantCluster, { metadata }: PersistentVolumeClaim): Omit<ClusterFacts, 'limits'> {
  const selected = metadata.annotations?.[SELECTED_NODE];
  const node = selected === undefined ? undefined : nodes.get(selected);
  return {
    selectedNode: node && (node.metadata.labels ?? {}),
    nodeZones: nodes.list().flatMap(({ metadata: { labels } }) => zoneOfNode(labels) ?? []),
  };
}

/** With the keys that cinder-csi-plugin writes, for people and tools that look for them. */
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

function failedWords({ request }: PlannedVolume): string {
  const { size, volume_type: type, availability_zone: zone } = request;
  const where = zone === undefined ? '' : ` in zone ${zone}`;
  return `block-storage: Cinder could not make a volume of ${size} GiB${type === undefined ? '' : ` of type ${type}`}${where}: it ended in status error; the operator finds the cause in Cinder's log, Fairway tries again by itself`;
}
