import { isDeepStrictEqual } from 'node:util';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { HibernationStatus } from '@fairway/api/kinds/cluster-hibernation';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { wrapRuntimeError } from '@fairway/tenancy/reconcile/runtime-problem';
import type { ClusterDependencies } from './dependencies.ts';

/** Poll interval for a control plane that is stopping, if its runtime has no events. */
const RETRY_MS = 5_000;

/** Hibernates the control plane of a cluster without nodes. Afterwards, no connection to it remains. */
export async function hibernateControlPlane(
  cluster: Cluster,
  { attempts, runtime, tenants }: Pick<ClusterDependencies, 'attempts' | 'runtime' | 'tenants'>,
  pass: Pass,
): Promise<{ readonly isHibernated?: boolean; readonly controlPlaneProblem: Problem | undefined }> {
  const item = identityOf(cluster);
  tenants.remove(item);
  const { value: isHibernated, failure } = await pass.run(() =>
    attempts.withBackoff({ kind: 'control plane', item }, () => wrapRuntimeError(runtime.hibernate(item))),
  );
  if (failure) return { controlPlaneProblem: failure };
  if (!isHibernated) pass.requeueAfter(RETRY_MS);
  return { isHibernated, controlPlaneProblem: undefined };
}

/** Whether the decision differs from the stored one, ignoring the observed state. */
export function isNewDecision(stored: Cluster, decided: HibernationStatus | undefined): boolean {
  const last = stored.status?.hibernation;
  return last?.wanted !== decided?.wanted || !isDeepStrictEqual(last?.followed, decided?.followed);
}

/** Whether the cluster is hibernated according to its stored status. */
export function isHibernated(cluster: Cluster): boolean {
  return shouldHibernate(cluster) && cluster.status?.hibernation?.hibernated === true;
}
