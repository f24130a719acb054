import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { Namespaces, ResourceQuotas } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Declaration } from '../dependencies.ts';
import { clustersByNamespace } from '../node-pool/project-quotas.ts';
import { credentialsByNamespace, NamespaceLimitsReconciler, resourceQuotasByNamespace } from './reconciler.ts';

const namespaceOf = ({ metadata }: KubeObject) => [metadata.namespace ?? ''];

/** Limits the contents of tenants' namespaces with ResourceQuotas; idle if the API server counts objects itself. */
export const namespaceLimitsController: Declaration = {
  name: 'namespace-limits',
  concurrency: 2,
  rights: [
    { type: Namespaces, verbs: READ },
    { type: ResourceQuotas, verbs: [...READ, 'create', 'update', 'delete'] },
    { type: ResourceQuotas, subresource: 'status', verbs: ['update'] },
    { type: clusters, verbs: READ },
    { type: cloudCredentials, verbs: READ },
  ],
  indexes: ({ cache, informers, namespaceLimits }) =>
    namespaceLimits === undefined
      ? []
      : [
          indexOn(cache.clusters, clustersByNamespace),
          indexOn(cache.credentials, credentialsByNamespace),
          indexOn(informers.informer(ResourceQuotas), resourceQuotasByNamespace),
        ],
  watches: ({ cache, informers, namespaceLimits }) =>
    namespaceLimits === undefined
      ? []
      : [
          watch(informers.informer(Namespaces), ({ metadata }) => [metadata.name ?? ''], {
            isRelevant: (old, { metadata }) => !jsonEqual(old.metadata.annotations, metadata.annotations),
          }),
          watch(cache.clusters, namespaceOf, { isRelevant: () => false }),
          watch(cache.credentials, namespaceOf, { isRelevant: () => false }),
          // The status of a ResourceQuota changes with each counted object.
          watch(informers.informer(ResourceQuotas), namespaceOf, {
            isRelevant: (old, { spec }) => !jsonEqual(old.spec, spec),
          }),
        ],
  create(shared) {
    const { informers, namespaceLimits } = shared;
    // Otherwise, an unneeded cache would be filled.
    if (namespaceLimits === undefined) return { reconcile: () => Promise.resolve({}) };
    const own = { namespaces: informers.informer(Namespaces), quotas: informers.informer(ResourceQuotas) };
    const reconciler = new NamespaceLimitsReconciler(shared, own);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};
