import { wantedReplicas } from '@fairway/api/domain/wanted-replicas';
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

/** Shows in ProjectQuotas what their namespaces have. */
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
      watch(informers.informer(projectQuotas), (quota) => quotasBeside(quota, shared), {
        isRelevant: (old, { metadata }) => old.metadata.generation !== metadata.generation,
      }),
      watch(cache.clusters, (cluster) => quotasBeside(cluster, shared), { isRelevant: () => false }),
      watch(cache.nodePools, (pool) => quotasBeside(pool, shared), { isRelevant: isCountedOtherwise }),
      watch(informers.informer(cloudProfiles), (profile) => quotasBeside(profile, shared), {
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

function quotasBeside({ metadata }: KubeObject, { informers }: Pick<ControllerDependencies, 'informers'>): string[] {
  return informers
    .informer(projectQuotas)
    .find(quotasByNamespace, metadata.namespace ?? '')
    .map(keyOf);
}

function isCountedOtherwise(old: NodePool, pool: NodePool): boolean {
  return wantedReplicas(old) !== wantedReplicas(pool) || old.spec.flavor !== pool.spec.flavor;
}
