import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { type Watch, watch } from '@fairway/kube/controller/declaration';
import { READ, type Right } from '@fairway/kube/controller/rights';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { CloudProviderDependencies, Declaration } from '../dependencies.ts';
import { driverOf, isAskedOf, isServedBy } from './driver.ts';
import { isToExpand } from './expansion.ts';
import { claimSubject, clusterSubject, volumeSubject } from './storage-keys.ts';
import { claimsByClass, claimsBySource, storageOf, volumeNameOf, volumesByDriver } from './tenant-storage.ts';
import { isToProvision } from './volume-plan.ts';

interface StorageController extends Pick<Declaration, 'name' | 'indexes' | 'create'> {
  /** Name of the CSI driver and of the provisioner in StorageClasses. */
  readonly driver: string;
  readonly rights?: readonly Right[];
  readonly watches?: (dependencies: CloudProviderDependencies) => readonly Watch[];
  /** What else is watched in a cluster. */
  readonly onConnect?: (tenant: TenantCluster, enqueue: (key: string) => void) => void;
}

/** A controller of the claims and PersistentVolumes of one driver, in all tenants' clusters. */
export function storageController({
  name,
  driver,
  create,
  rights = [],
  indexes,
  watches,
  onConnect,
}: StorageController): Declaration {
  return {
    name,
    concurrency: 20,
    rights: [{ type: clusters, verbs: READ }, ...rights],
    ...(indexes && { indexes }),
    watches: (dependencies) => [
      watch(
        dependencies.cache.clusters,
        (cluster) => subjectsOf(driver, dependencies.tenants.get(identityOf(cluster))),
        {
          isRelevant: (old, cluster) =>
            isPaused(old) !== isPaused(cluster) || old.spec.credentialName !== cluster.spec.credentialName,
        },
      ),
      ...(watches?.(dependencies) ?? []),
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
    if (isToProvision(claim, storageClass, driver) || isToExpand(claim)) {
      enqueue(claimSubject(clusterUid, keyOf(claim)));
    }
    for (const copy of claims.find(claimsBySource, keyOf(claim))) enqueue(claimSubject(clusterUid, keyOf(copy)));
  };
  claims.addHandler({
    onAdd: onClaim,
    onUpdate: (_, claim) => onClaim(claim),
    onDelete(claim) {
      if (isAskedOf(driver, claim)) enqueue(volumeSubject(clusterUid, claim.spec.volumeName || volumeNameOf(claim)));
    },
  });
  const onVolume = (volume: PersistentVolume) => {
    if (driverOf(volume) !== driver) return;
    enqueue(volumeSubject(clusterUid, volume.metadata.name ?? ''));
    const { namespace, name } = volume.spec.claimRef ?? {};
    const claim = claims.get(`${namespace}/${name}`);
    if (claim && isToExpand(claim)) enqueue(claimSubject(clusterUid, keyOf(claim)));
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
  // They may be listed before the tenant counts as connected, and are enqueued only then.
  void Promise.all([tenant.nodes, claims, volumes, classes].map((informer) => informer.whenSynced())).then(
    () => subjectsOf(driver, tenant).forEach(enqueue),
    () => {},
  );
}

/** Keys of everything that may need work in a cluster. */
function subjectsOf(driver: string, tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  const { claims, classes } = storageOf(tenant);
  const isWaiting = (claim: PersistentVolumeClaim) =>
    isToProvision(claim, classes.get(claim.spec.storageClassName ?? ''), driver) || isToExpand(claim);
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
