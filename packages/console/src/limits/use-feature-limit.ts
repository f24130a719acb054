import type { Cluster } from '@fairway/api/kinds/cluster';
import type { FeatureName } from '@fairway/api/kinds/plan-limits';
import { plans } from '../api/resources.ts';
import { useResource } from '../api/use-resources.ts';
import { useNow } from '../text/relative-time.tsx';
import { type ExceededLimit, featureLimit } from './plan-limits.ts';

/** The limit of a cluster's plan on a feature; undefined if the plan includes it, or is unknown. */
export function useFeatureLimit({ spec }: Cluster, feature: FeatureName): ExceededLimit | undefined {
  const plan = useResource(plans, undefined, spec.plan).object?.spec;
  return featureLimit(plan, feature, useNow());
}
