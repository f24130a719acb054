import type { Informer } from '../client/informer.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import type { Reconcile } from '../controller/result.ts';
import type { ClusterRole } from '../kinds/generated/types.ts';
import { jsonEqual } from '../object/json.ts';
import { aggregatedRules } from './cluster-role-aggregation.ts';

export interface ClusterRoleAggregatorOptions {
  readonly clusterRoles: Pick<Informer<ClusterRole>, 'get' | 'list'>;
  readonly client: Pick<ResourceClient<ClusterRole>, 'update'>;
}

/** Keeps the rules of aggregated roles. Watch cluster roles with `aggregatedRoleKeys`: any role may be one that another gathers. */
export function clusterRoleAggregator({ clusterRoles, client }: ClusterRoleAggregatorOptions): Reconcile {
  return async (key, { signal }) => {
    const role = clusterRoles.get(key);
    const rules = role && aggregatedRules(role, clusterRoles.list());
    if (rules === undefined || jsonEqual(rules, role?.rules ?? [])) return {};
    await client.update({ ...(role as ClusterRole), rules }, { signal });
    return {};
  };
}

/** The names of all aggregated roles: what a change of any role concerns. */
export function aggregatedRoleKeys(clusterRoles: Pick<Informer<ClusterRole>, 'list'>): () => string[] {
  return () =>
    clusterRoles
      .list()
      .flatMap(({ aggregationRule, metadata: { name } }) =>
        aggregationRule === undefined || name === undefined ? [] : [name],
      );
}
