import { ConditionReason } from '@fairway/api/conditions';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { ConfigMaps, Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import {
  ANY_MINOR,
  clustersByCredential,
  clustersByIdentity,
  clustersByMinor,
  clustersByPlan,
  machinesByCluster,
  poolsByCluster,
} from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { usageFingerprint } from '../credential/readiness.ts';
import type { Declaration } from '../dependencies.ts';
import { hasChangedIn } from '../has-changed-in.ts';
import { ProjectQuotas, quotasByNamespace } from '../node-pool/project-quotas.ts';
import { onReachabilityChange } from './cloud-condition.ts';
import { externalAddresses } from './desired-state.ts';
import { disconnectedTime } from './network-freshness.ts';
import { observeNetworks } from './network-watch.ts';
import { ClusterReconciler } from './reconciler.ts';
import { isOfferChanged, isSlotChanged } from './release-relevance.ts';
import { onTenantSetupLost } from './tenant-setup.ts';

/** By namespace: clusters waiting for the project's quota. */
const clustersHeldByProject: CacheIndex<Cluster> = {
  name: 'held-by-project',
  valuesOf: ({ metadata, status }) => {
    const isHeld = status?.conditions?.some(({ reason }) => reason === ConditionReason.ProjectQuotaExceeded);
    return isHeld ? [metadata.namespace ?? ''] : [];
  },
};

export const clusterController: Declaration = {
  name: 'cluster',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: [...READ, 'patch'] },
    { type: clusters, subresource: 'status', verbs: ['patch'] },
    { type: nodePools, verbs: [...READ, 'delete'] },
    { type: machines, verbs: READ },
    { type: cloudCredentials, verbs: READ },
    { type: plans, verbs: READ },
    // The ConfigMaps with clusters' claims on their plans.
    { type: ConfigMaps, namespace: SYSTEM_NAMESPACE, verbs: ['get', 'create', 'update'] },
    // The cluster's CA Secret, which Fairway rotates.
    { type: Secrets, namespace: SYSTEM_NAMESPACE, verbs: ['get', 'patch'] },
    { type: Namespaces, verbs: ['get'] },
    { type: kubernetesReleases, verbs: READ },
    { type: cloudProfiles, verbs: READ },
    { type: projectQuotas, verbs: READ },
  ],
  indexes: ({ cache, informers }) => [
    indexOn(informers.informer(projectQuotas), quotasByNamespace),
    indexOn(cache.clusters, clustersHeldByProject),
    indexOn(cache.clusters, clustersByCredential),
    indexOn(cache.clusters, clustersByPlan),
    indexOn(cache.clusters, clustersByMinor),
    indexOn(cache.clusters, clustersByIdentity),
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByCluster),
  ],
  watches: ({ cache, informers }) => [
    watch(cache.clusters),
    watch(informers.informer(projectQuotas), ({ metadata }) =>
      cache.clusters.find(clustersHeldByProject, metadata.namespace ?? '').map(keyOf),
    ),
    watch(cache.nodePools, (pool) => [clusterKeyOf(pool)]),
    watch(cache.machines, (machine) => [clusterKeyOf(machine)], {
      // Node addresses are part of security rules; a rotation waits until all nodes are updated; an unreachable node may indicate a network problem.
      isRelevant: hasChangedIn((machine) => [
        externalAddresses(machine),
        machine.status?.installed?.authorityGeneration,
        disconnectedTime(machine),
      ]),
    }),
    watch(cache.credentials, (credential) => cache.clusters.find(clustersByCredential, keyOf(credential)).map(keyOf), {
      isRelevant: (old, credential) => usageFingerprint(old) !== usageFingerprint(credential),
    }),
    watch(cache.plans, ({ metadata }) => cache.clusters.find(clustersByPlan, metadata.name ?? '').map(keyOf)),
    watch(
      cache.releases,
      ({ spec }) => [ANY_MINOR, spec.minor].flatMap((minor) => cache.clusters.find(clustersByMinor, minor).map(keyOf)),
      { isRelevant: isOfferChanged },
    ),
    // A rollout advances with every cluster, and affects clusters that have a slot in it.
    watch(
      cache.releases,
      ({ status }) =>
        [...(status?.rollout?.moving ?? []), ...(status?.forcedUpgrade?.moving ?? [])].map(
          ({ namespace, name }) => `${namespace}/${name}`,
        ),
      {
        isRelevant: isSlotChanged,
      },
    ),
  ],
  create(shared) {
    const { cache, informers, quotaDefaults: defaults } = shared;
    const quotas = new ProjectQuotas({ ...cache, quotas: informers.informer(projectQuotas), defaults });
    const reconciler = new ClusterReconciler({ ...shared, profiles: informers.informer(cloudProfiles), quotas });
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, { cache, clouds, runtime, tenants }) {
    clouds.onProject((cloud, clusterKeys) =>
      onReachabilityChange(cloud, () => {
        for (const key of clusterKeys) enqueue(key);
      }),
    );
    clouds.onProject((cloud, clusterKeys) =>
      observeNetworks(cloud, (change) => {
        const keys =
          'clusterUid' in change
            ? cache.clusters.find(clustersByIdentity, change.clusterUid).map(keyOf)
            : [...clusterKeys].filter(
                (key) => cache.clusters.get(key)?.status?.network?.networkID === change.networkID,
              );
        // The tag may be forged, so it may not refer to any of our clusters.
        for (const key of keys) if (clusterKeys.has(key)) enqueue(key);
      }),
    );
    runtime.onChange((clusterUid) => {
      for (const cluster of cache.clusters.find(clustersByIdentity, clusterUid)) enqueue(keyOf(cluster));
    });
    tenants.onConnect((tenant) => {
      const { clusterKey, nodes } = tenant;
      onTenantSetupLost(tenant, () => enqueue(clusterKey));
      // Clusters that are only waiting for the connection are reconciled immediately.
      void nodes.whenSynced().then(
        () => enqueue(clusterKey),
        () => {},
      );
    });
  },
};
