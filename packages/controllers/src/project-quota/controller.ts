import { targetReplicas } from '@fairway/api/domain/target-replicas';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ControllerDependencies, Declaration } from '../dependencies.ts';
import { clustersByNamespace, poolsByNamespace, quotasByNamespace } from '../node-pool/project-quotas.ts';
import { ProjectQuotaReconciler } from './reconciler.ts';

/** Reports the usage of each namespace in its ProjectQuota. */
export const projectQuotaController: Declaration = {
  name: 'project-quota',
  concurrency: 2,
  rights: [
    { type: projectQuotas, verbs: READ },
    { type: projectQuotas, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
    { type: nodePools, verbs: READ },
    { type: cloudProfiles, verbs: READ },
  ],
  indexes: ({ cache, informers }) => [
    indexOn(informers.informer(projectQuotas), quotasByNamespace),
    indexOn(cache.clusters, clustersByNamespace),
    indexOn(cache.nodePools, poolsByNamespace),
  ],
  watches: (shared) => {
    const { cache, informers } = shared;
    return [
      watch(informers.informer(projectQuotas), (quota) => quotasInNamespace(quota, shared), {
        isRelevant: (old, { metadata }) => old.metadata.generation !== metadata.generation,
      }),
      watch(cache.clusters, (cluster) => quotasInNamespace(cluster, shared), { isRelevant: () => false }),
      watch(cache.nodePools, (pool) => quotasInNamespace(pool, shared), { isRelevant: isUsageChanged }),
      watch(informers.informer(cloudProfiles), (profile) => quotasInNamespace(profile, shared), {
        isRelevant: ({ status: old }, { status }) => JSON.stringify(old?.flavors) !== JSON.stringify(status?.flavors),
      }),
    ];
  },
  create(shared) {
    const { informers } = shared;
    const own = { quotas: informers.informer(projectQuotas), profiles: informers.informer(cloudProfiles) };
    const reconciler = new ProjectQuotaReconciler(shared, own);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};

function quotasInNamespace(
  { metadata }: KubeObject,
  { informers }: Pick<ControllerDependencies, 'informers'>,
): string[] {
  return informers
    .informer(projectQuotas)
    .find(quotasByNamespace, metadata.namespace ?? '')
    .map(keyOf);
}

function isUsageChanged(old: NodePool, pool: NodePool): boolean {
  return targetReplicas(old) !== targetReplicas(pool) || old.spec.flavor !== pool.spec.flavor;
}
