import { DEFINITION_NAME, DEFINITIONS, definitionState, ROLES } from '@fairway/addons/node-pools/definition';
import { IN_CLUSTER_FINALIZER, IN_CLUSTER_LABEL } from '@fairway/api/group';
import { inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ClusterRoles } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { causeOf } from '../addons/apply-object.ts';
import { InnerWriter } from './inner-writer.ts';

/** Maximum number of objects released in one step. */
const PAGE_SIZE = 20;

/**
 * `gone`: nothing created by Fairway remains there; `released`: some objects were released; `going`: the rest has
 * other parties' finalizers, or the API server is still deleting it.
 */
export type Removal = 'gone' | 'begun' | 'released' | 'going';

/**
 * Removes the kind from a cluster, and Fairway's finalizers from its objects; pools are not touched. A definition
 * owned by someone else is retained. Rejects with a TenantApiError.
 */
export async function removeDefinition(tenant: TenantCluster, signal: AbortSignal): Promise<Removal> {
  const definitions = tenant.client.resource(DEFINITIONS);
  const live = await wrapTenantError(undefinedIfNotFound(definitions.get(DEFINITION_NAME, { signal })));
  const state = definitionState(live);
  if (live === undefined || state === 'foreign') {
    await removeRoles(tenant, signal);
    return 'gone';
  }
  if (state !== 'ending') {
    const { uid = '' } = live.metadata;
    await ignoreNotFound(definitions.delete(DEFINITION_NAME, { uid, signal }));
    return 'begun';
  }
  const pools = tenant.client.resource(inClusterNodePools);
  const page = await wrapTenantError(undefinedIfNotFound(pools.list({ limit: PAGE_SIZE, signal })));
  const writer = new InnerWriter(tenant, signal);
  const held = (page?.items ?? []).filter(({ metadata }) => metadata.finalizers?.includes(IN_CLUSTER_FINALIZER));
  for (const pool of held) await writer.release(pool);
  return held.length > 0 ? 'released' : 'going';
}

async function removeRoles(tenant: TenantCluster, signal: AbortSignal): Promise<void> {
  const roles = tenant.client.resource(ClusterRoles);
  for (const { metadata } of ROLES) {
    const name = metadata.name ?? '';
    const live = await wrapTenantError(undefinedIfNotFound(roles.get(name, { signal })));
    if (live?.metadata.labels?.[IN_CLUSTER_LABEL] === undefined) continue;
    await ignoreNotFound(roles.delete(name, { uid: live.metadata.uid ?? '', signal }));
  }
}

/** Ignores that the object was replaced or deleted: the next check handles it. */
async function ignoreNotFound(deletion: Promise<void>): Promise<void> {
  try {
    await wrapTenantError(deletion);
  } catch (error) {
    if (!isApiError(causeOf(error), 'NotFound', 'Conflict')) throw error;
  }
}
