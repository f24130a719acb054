import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { plans } from '@fairway/api/kinds/plan';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Share } from '@fairway/openstack/types/shared-file-system';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { ClusterConcurrencyLimit } from '../volumes/cluster-concurrency-limit.ts';
import { storageController, volumeSubjects } from '../volumes/storage-controller.ts';
import { StorageEvents } from '../volumes/storage-events.ts';
import { StorageReconciler } from '../volumes/storage-reconciler.ts';
import { StorageWatch } from '../volumes/storage-watch.ts';
import { VolumeBuilds } from '../volumes/volume-builds.ts';
import { SHARE_DRIVER } from './driver.ts';
import { ShareAccess } from './share-access.ts';
import { ShareBackend } from './share-backend.ts';
import { ShareProvisioner } from './share-provisioner.ts';

/** Limit on the number of one cluster's keys that are reconciled at the same time. */
const MAX_CONCURRENT_KEYS = 3;

export const shareController = storageController({
  name: 'shares',
  driver: SHARE_DRIVER,
  additionalRights: [
    { type: machines, verbs: READ },
    { type: plans, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.machines, machinesByCluster)],
  additionalWatches: (shared) => [
    watch(shared.cache.machines, (machine) => sharesOfClusterOf(machine, shared), {
      isRelevant: (old, machine) => addressesOf(old) !== addressesOf(machine),
    }),
  ],
  create(shared, enqueue) {
    const access = new ShareAccess({ ...shared, storageWatch: new StorageWatch<Share>(enqueue) });
    const dependencies = {
      ...shared,
      access,
      backend: new ShareBackend(access),
      storageWatch: new StorageWatch<Share>(enqueue),
      limiter: new ClusterConcurrencyLimit(MAX_CONCURRENT_KEYS, enqueue),
      builds: new VolumeBuilds(shared),
      events: new StorageEvents({ ...shared, component: SHARE_DRIVER }),
    };
    const reconciler = new StorageReconciler<Share>(dependencies, new ShareProvisioner(dependencies), enqueue);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => {
        reconciler.forget(isMatching);
        access.forget((clusterUid) => {
          const tenant = shared.tenants.get(clusterUid);
          return tenant === undefined || isMatching(tenant.clusterKey);
        });
      },
    };
  },
});

/** Keys of the PersistentVolumes whose shares the machine's node can access. */
function sharesOfClusterOf(machine: Machine, { cache, tenants }: CloudProviderDependencies): readonly string[] {
  const cluster = cache.clusters.get(clusterKeyOf(machine));
  const tenant = cluster && tenants.get(identityOf(cluster));
  return tenant ? volumeSubjects(SHARE_DRIVER, tenant) : [];
}

function addressesOf({ status }: Machine): string {
  return JSON.stringify(status?.addresses ?? []);
}
