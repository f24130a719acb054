import { isDeepStrictEqual } from 'node:util';
import { wakingProblem } from '../domain/waking-problem.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/** Warns whoever hibernates or wakes a cluster, or gives it schedules, if its nodes would not find room in the project's quotas as they are now. */
export function hibernationWarnings({ cluster, old, pools, catalogue }: ClusterAdmission): string[] {
  const { hibernation } = cluster.spec;
  if (old === undefined || hibernation === undefined || isDeepStrictEqual(hibernation, old.spec.hibernation)) return [];
  const { flavors, quotas } = catalogue;
  if (flavors === undefined || quotas === undefined) return [];
  const own = pools.filter(({ spec }) => spec.clusterName === cluster.metadata.name);
  const problem = wakingProblem(own, { flavors, quotas });
  return problem === undefined ? [] : [`spec.hibernation: the cluster could not wake as a whole now: ${problem}`];
}
