import { planProblems, releaseProblems } from '@fairway/api/domain/offer-problems';
import { describeUnapplied, unappliedPlanFields } from '@fairway/api/domain/unapplied-fields';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByPlan, clustersByRelease } from '@fairway/tenancy/cache-indexes';
import type { Declaration } from '../dependencies.ts';
import { InUse } from './in-use.ts';
import { offerReconciler } from './reconciler.ts';

export const planController: Declaration = {
  name: 'plan',
  concurrency: 1,
  rights: [
    { type: plans, verbs: [...READ, 'patch'] },
    { type: plans, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByPlan)],
  watches: ({ cache }) => [
    watch(cache.plans),
    watch(cache.clusters, clustersByPlan.valuesOf, { isRelevant: () => false }),
  ],
  create({ cache, clock }) {
    const { plans: informer, clusters } = cache;
    const inUse = new InUse({
      informer,
      clusters,
      index: clustersByPlan,
      valueOf: ({ metadata }) => metadata.name ?? '',
    });
    return {
      reconcile: offerReconciler({ informer, problemsOf: planProblems, unappliedOf: unappliedOfPlan, inUse, clock }),
    };
  },
};

export const releaseController: Declaration = {
  name: 'kubernetes-release',
  concurrency: 1,
  rights: [
    { type: kubernetesReleases, verbs: [...READ, 'patch'] },
    { type: kubernetesReleases, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByRelease)],
  watches: ({ cache }) => [
    watch(cache.releases),
    watch(cache.clusters, clustersByRelease.valuesOf, {
      isRelevant: (old, cluster) =>
        old.status?.version !== cluster.status?.version || old.spec.version !== cluster.spec.version,
    }),
  ],
  create({ cache, clock }) {
    const { releases: informer, clusters } = cache;
    const inUse = new InUse({ informer, clusters, index: clustersByRelease, valueOf: ({ spec }) => spec.minor });
    return { reconcile: offerReconciler({ informer, problemsOf: releaseProblems, inUse, clock }) };
  },
};

function unappliedOfPlan(plan: Plan): string | undefined {
  return describeUnapplied(unappliedPlanFields(plan));
}
