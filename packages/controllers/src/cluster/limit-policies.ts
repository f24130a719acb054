import type { AddonObject } from '@fairway/addons/addon';
import { coversObject } from '@fairway/addons/covers';
import { limitPolicies } from '@fairway/addons/limits/objects';
import { storageLimits } from '@fairway/api/domain/plan-storage';
import { dayOf } from '@fairway/api/domain/usage/amounts';
import { identityOf } from '@fairway/api/identity';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { enforcementChangeDelayMs, inClusterLimits } from '@fairway/api/limits/in-cluster';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantApiError, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ClusterDependencies } from './dependencies.ts';

/** How often Fairway checks whether the objects that replace a policy file exist. */
const REPLACEMENT_RETRY_MS = 30_000;

/**
 * The policies that the cluster's API server reads from a file; undefined: none. If the plan no longer requires the
 * file, it stays until the cluster has the policies as objects.
 */
export async function policiesInFile(
  cluster: Cluster,
  plan: PlanSpec,
  { tenants, clock }: Pick<ClusterDependencies, 'tenants' | 'clock'>,
  pass: Pass,
): Promise<readonly KubeObject[] | undefined> {
  const isFileRequired = plan.limitPolicies === 'Manifests';
  if (!isFileRequired && cluster.status?.limitPolicies?.mode !== 'Manifests') return undefined;
  const limits = inClusterLimits(plan);
  const nowMs = clock.now();
  pass.requeueAfter(enforcementChangeDelayMs(limits, nowMs));
  const today = dayOf(nowMs);
  const objects = limitPolicies({ limits, storage: storageLimits(plan), today });
  if (!isFileRequired && (await hasObjects(tenants.get(identityOf(cluster)), objects, pass.signal))) return undefined;
  if (!isFileRequired) pass.requeueAfter(REPLACEMENT_RETRY_MS);
  return objects.map(({ object }) => object);
}

/** Whether a cluster has these objects; false while its API server does not respond. */
async function hasObjects(
  tenant: TenantCluster | undefined,
  objects: readonly AddonObject[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { type, name, object } of objects) {
    try {
      const live = tenant && (await wrapTenantError(tenant.client.resource(type).get(name, { signal })));
      if (!coversObject(live, object)) return false;
    } catch (error) {
      if (error instanceof TenantApiError) return false;
      throw error;
    }
  }
  return true;
}

/** `status.limitPolicies`: null if there is no policy file, undefined if nothing new is known. Pure. */
export function limitPoliciesStatus(
  policies: readonly KubeObject[] | undefined,
  { limitPolicies: state }: Pick<ControlPlaneState, 'limitPolicies'>,
): ClusterStatus['limitPolicies'] | null {
  if (policies === undefined) return null;
  if (state === undefined) return undefined;
  return state.mode === 'Manifests' ? { mode: state.mode } : { mode: state.mode, message: state.problem };
}
