import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { type Watch, watch } from '@fairway/kube/controller/declaration';
import { READ, type Right } from '@fairway/kube/controller/rights';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { CloudProviderDependencies, Declaration } from '../dependencies.ts';
import { driverOf, isRequestedFrom, isServedBy } from './driver.ts';
import { needsExpansion } from './expansion.ts';
import { claimSubject, clusterSubject, volumeSubject } from './storage-keys.ts';
import { claimsByClass, claimsBySource, storageOf, volumeNameOf, volumesByDriver } from './tenant-storage.ts';
import { needsProvisioning } from './volume-plan.ts';

interface StorageController extends Pick<Declaration, 'name' | 'indexes' | 'create'> {
  /** Name of the CSI driver, which is also the provisioner in StorageClasses. */
  readonly driver: string;
  readonly additionalRights?: readonly Right[];
  readonly additionalWatches?: (dependencies: CloudProviderDependencies) => readonly Watch[];
  /** Adds further watches in a tenant's cluster. */
  readonly onConnect?: (tenant: TenantCluster, enqueue: (key: string) => void) => void;
}

/** A controller of the claims and PersistentVolumes of one driver, in all tenants' clusters. */
export function storageController({
  name,
  driver,
  create,
  additionalRights = [],
  indexes,
  additionalWatches,
  onConnect,
}: StorageController): Declaration {
  return {
    name,
    concurrency: 20,
    rights: [{ type: clusters, verbs: READ }, ...additionalRights],
    ...(indexes && { indexes }),
    watches: (dependencies) => [
      watch(
        dependencies.cache.clusters,
        (cluster) => pendingSubjects(driver, dependencies.tenants.get(identityOf(cluster))),
        {
          isRelevant: (old, cluster) =>
            isPaused(old) !== isPaused(cluster) || old.spec.credentialName !== cluster.spec.credentialName,
        },
      ),
      ...(additionalWatches?.(dependencies) ?? []),
    ],
    ownerKey: (key, { tenants }) => tenants.get(key.split('/', 1)[0] ?? '')?.clusterKey,
    create,
    listen(enqueue, { tenants }) {
      tenants.onConnect((tenant) => {
        listenTo(driver, tenant, enqueue);
        onConnect?.(tenant, enqueue);
      });
    },
  };
}

function listenTo(driver: string, tenant: TenantCluster, enqueue: (key: string) => void): void {
  const { clusterUid } = tenant;
  const { claims, volumes, classes } = storageOf(tenant);
  const onClaim = (claim: PersistentVolumeClaim) => {
    const storageClass = classes.get(claim.spec.storageClassName ?? '');
    if (needsProvisioning(claim, storageClass, driver) || needsExpansion(claim)) {
      enqueue(claimSubject(clusterUid, keyOf(claim)));
    }
    for (const clone of claims.find(claimsBySource, keyOf(claim))) enqueue(claimSubject(clusterUid, keyOf(clone)));
  };
  claims.addHandler({
    onAdd: onClaim,
    onUpdate: (_, claim) => onClaim(claim),
    onDelete(claim) {
      if (isRequestedFrom(driver, claim))
        enqueue(volumeSubject(clusterUid, claim.spec.volumeName || volumeNameOf(claim)));
    },
  });
  const onVolume = (volume: PersistentVolume) => {
    if (driverOf(volume) !== driver) return;
    enqueue(volumeSubject(clusterUid, volume.metadata.name ?? ''));
    const { namespace, name } = volume.spec.claimRef ?? {};
    const claim = claims.get(`${namespace}/${name}`);
    if (claim && needsExpansion(claim)) enqueue(claimSubject(clusterUid, keyOf(claim)));
  };
  volumes.addHandler({
    onAdd: onVolume,
    onUpdate: (_, volume) => onVolume(volume),
    onDelete(volume) {
      const { namespace, name } = volume.spec.claimRef ?? {};
      if (driverOf(volume) === driver && namespace) enqueue(claimSubject(clusterUid, `${namespace}/${name}`));
    },
  });
  const onClass = ({ metadata, provisioner }: StorageClass) => {
    if (!isServedBy(driver, provisioner)) return;
    for (const claim of claims.find(claimsByClass, metadata.name ?? '')) onClaim(claim);
  };
  classes.addHandler({ onAdd: onClass, onUpdate: (_, storageClass) => onClass(storageClass) });
  // Objects may be listed before the tenant is considered connected, so they are enqueued afterwards.
  void Promise.all([tenant.nodes, claims, volumes, classes].map((informer) => informer.whenSynced())).then(
    () => pendingSubjects(driver, tenant).forEach(enqueue),
    () => {},
  );
}

/** Keys of everything that may need work in a cluster. */
function pendingSubjects(driver: string, tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  const { claims, classes } = storageOf(tenant);
  const isWaiting = (claim: PersistentVolumeClaim) =>
    needsProvisioning(claim, classes.get(claim.spec.storageClassName ?? ''), driver) || needsExpansion(claim);
  const waiting = claims.list().filter(isWaiting);
  return [
    clusterSubject(clusterUid),
    ...waiting.map((claim) => claimSubject(clusterUid, keyOf(claim))),
    ...volumeSubjects(driver, tenant),
  ];
}

/** Keys of the driver's PersistentVolumes in a cluster. */
export function volumeSubjects(driver: string, tenant: TenantCluster): readonly string[] {
  const { volumes } = storageOf(tenant);
  const own = volumes.find(volumesByDriver, driver);
  return own.map(({ metadata }) => volumeSubject(tenant.clusterUid, metadata.name ?? ''));
}
