import { isDeepStrictEqual } from 'node:util';
import { wakingProblem } from '../domain/waking-problem.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/** Warns on hibernation, waking and new schedules if the project's current quotas leave no room for the nodes. */
export function hibernationWarnings({ cluster, old, pools, catalogue }: ClusterAdmission): string[] {
  const { hibernation } = cluster.spec;
  if (old === undefined || hibernation === undefined || isDeepStrictEqual(hibernation, old.spec.hibernation)) return [];
  const { flavors, quotas } = catalogue;
  if (flavors === undefined || quotas === undefined) return [];
  const own = pools.filter(({ spec }) => spec.clusterName === cluster.metadata.name);
  const problem = wakingProblem(own, { flavors, quotas });
  return problem === undefined
    ? []
    : [`spec.hibernation: the cluster could currently not wake up completely: ${problem}`];
}
