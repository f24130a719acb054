import { dependentsOf, describeDependents } from '@fairway/api/domain/in-use';
import { planProblems } from '@fairway/api/domain/plan-problems';
import { describeUnapplied, unappliedPlanFields } from '@fairway/api/domain/unapplied-fields';
import { nextMinor } from '@fairway/api/domain/version-numbers';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { sharedLimitsProblem } from '@fairway/api/limits/copied-limits';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import {
  clustersByForcedUpgrade,
  clustersByPlan,
  clustersByRelease,
  plansByBase,
} from '@fairway/tenancy/cache-indexes';
import { isOfferChanged } from '../cluster/release-relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { hasChangedIn } from '../has-changed-in.ts';
import { copyLimits } from './copy-limits.ts';
import { InUseProtection } from './in-use.ts';
import { offerReconciler } from './reconciler.ts';
import { ReleaseReconciler } from './release-reconciler.ts';
import { observeRollouts } from './rollout-metrics.ts';
import { isRolloutRelevant } from './rollout-relevance.ts';

export const planController: Declaration = {
  name: 'plan',
  concurrency: 1,
  rights: [
    { type: plans, verbs: [...READ, 'patch'] },
    { type: plans, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByPlan), indexOn(cache.plans, plansByBase)],
  watches: ({ cache }) => [
    watch(cache.plans),
    // Plans that take their limits from this one.
    watch(cache.plans, ({ metadata }) => cache.plans.find(plansByBase, metadata.name ?? '').map(keyOf), {
      isRelevant: isBaseChanged,
    }),
    // A deleted plan that waits until no other takes its limits from it.
    watch(cache.plans, plansByBase.valuesOf, { isRelevant: isBaseChanged }),
    watch(cache.clusters, clustersByPlan.valuesOf, { isRelevant: () => false }),
  ],
  create({ cache, clock }) {
    const { plans: informer, clusters } = cache;
    const inUse = new InUseProtection({
      informer,
      clusters,
      index: clustersByPlan,
      valueOf: ({ metadata }) => metadata.name ?? '',
      dependents: {
        index: plansByBase,
        of: ({ metadata }, plans) => dependentsOf(metadata.name ?? '', plans),
        describe: describeDependents,
      },
    });
    const baseOf = ({ spec }: Plan) => informer.get(spec.limitsFrom ?? '');
    return {
      reconcile: offerReconciler({
        informer,
        configurationProblems(plan) {
          const problem = sharedLimitsProblem(plan, baseOf(plan));
          return [...(problem === undefined ? [] : [problem]), ...planProblems(plan)];
        },
        completeSpec: (plan, signal) => copyLimits({ client: informer.client, plan, base: baseOf(plan), signal }),
        unappliedFieldsOf: unappliedOfPlan,
        inUse,
        clock,
      }),
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
  indexes: ({ cache }) => [
    indexOn(cache.clusters, clustersByRelease),
    indexOn(cache.clusters, clustersByForcedUpgrade),
  ],
  watches: ({ cache }) => [
    watch(cache.releases),
    // Clusters are upgraded to this release from the previous one.
    watch(
      cache.releases,
      ({ spec }) =>
        cache.releases
          .list()
          .filter((each) => nextMinor(each.spec.minor) === spec.minor)
          .map(keyOf),
      {
        isRelevant: isOfferChanged,
      },
    ),
    watch(cache.clusters, clustersByRelease.valuesOf, { isRelevant: isRolloutRelevant }),
    watch(cache.clusters, clustersByForcedUpgrade.valuesOf, { isRelevant: isRolloutRelevant }),
  ],
  create({ cache, clock, events, registry, runtime }) {
    const { releases: informer, clusters } = cache;
    if (registry) observeRollouts(registry, () => informer.list());
    const inUse = new InUseProtection({
      informer,
      clusters,
      index: clustersByRelease,
      valueOf: ({ spec }) => spec.minor,
    });
    const reconciler = new ReleaseReconciler({ informer, clusters, inUse, clock, events, runtime });
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};

const isBaseChanged = hasChangedIn(({ metadata, spec }: Plan) => [metadata.deletionTimestamp, spec]);

function unappliedOfPlan(plan: Plan): string | undefined {
  return describeUnapplied(unappliedPlanFields(plan));
}
