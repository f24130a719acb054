import { planProblems, releaseProblems } from '@fairway/api/domain/offer-problems';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Declaration } from '../dependencies.ts';
import { offerReconciler } from './reconciler.ts';

export const planController: Declaration = {
  name: 'plan',
  concurrency: 1,
  rights: [
    { type: plans, verbs: READ },
    { type: plans, subresource: 'status', verbs: ['patch'] },
  ],
  watches: ({ cache }) => [watch(cache.plans)],
  create: ({ cache, clock }) => ({ reconcile: offerReconciler(cache.plans, planProblems, clock) }),
};

export const releaseController: Declaration = {
  name: 'kubernetes-release',
  concurrency: 1,
  rights: [
    { type: kubernetesReleases, verbs: READ },
    { type: kubernetesReleases, subresource: 'status', verbs: ['patch'] },
  ],
  watches: ({ cache }) => [watch(cache.releases)],
  create: ({ cache, clock }) => ({ reconcile: offerReconciler(cache.releases, releaseProblems, clock) }),
};
