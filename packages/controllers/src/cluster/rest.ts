import { isDeepStrictEqual } from 'node:util';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { HibernationStatus } from '@fairway/api/kinds/cluster-hibernation';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ofRuntime } from '@fairway/tenancy/reconcile/runtime-problem';
import type { ClusterDependencies } from './dependencies.ts';

/** Poll interval for a control plane that stops, where its runtime has no events. */
const RETRY_MS = 5_000;

/** Brings the control plane of a cluster without nodes to rest. Nobody is connected to it from then on. */
export async function restControlPlane(
  cluster: Cluster,
  { attempts, runtime, tenants }: Pick<ClusterDependencies, 'attempts' | 'runtime' | 'tenants'>,
  pass: Pass,
): Promise<{ readonly isAtRest?: boolean; readonly controlPlaneProblem: Problem | undefined }> {
  const item = identityOf(cluster);
  tenants.remove(item);
  const { value: isAtRest, failure } = await pass.run(() =>
    attempts.make({ kind: 'control plane', item }, () => ofRuntime(runtime.rest(item))),
  );
  if (failure) return { controlPlaneProblem: failure };
  if (!isAtRest) pass.againIn(RETRY_MS);
  return { isAtRest, controlPlaneProblem: undefined };
}

/** Whether another decision has been made than the stored one, apart from what is seen of it. */
export function isDecisionNew(stored: Cluster, decided: HibernationStatus | undefined): boolean {
  const last = stored.status?.hibernation;
  return last?.wanted !== decided?.wanted || !isDeepStrictEqual(last?.followed, decided?.followed);
}

/** Whether it is hibernated as far as the stored status tells. */
export function wasAtRest(cluster: Cluster): boolean {
  return isHibernationWanted(cluster) && cluster.status?.hibernation?.hibernated === true;
}
