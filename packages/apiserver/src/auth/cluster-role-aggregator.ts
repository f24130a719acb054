import type { Informer } from '@fairway/kube/client/informer';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { Reconcile } from '@fairway/kube/controller/result';
import type { ClusterRole } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';
import { aggregatedRules } from './cluster-role-aggregation.ts';

export interface ClusterRoleAggregatorOptions {
  readonly clusterRoles: Pick<Informer<ClusterRole>, 'get' | 'list'>;
  readonly client: Pick<ResourceClient<ClusterRole>, 'update'>;
}

/**
 * Maintains the rules of aggregated roles. Watch cluster roles with `aggregatedRoleKeys`: any role may be selected by
 * an aggregated role.
 */
export function clusterRoleAggregator({ clusterRoles, client }: ClusterRoleAggregatorOptions): Reconcile {
  return async (key, { signal }) => {
    const role = clusterRoles.get(key);
    const rules = role && aggregatedRules(role, clusterRoles.list());
    if (rules === undefined || jsonEqual(rules, role?.rules ?? [])) return {};
    await client.update({ ...(role as ClusterRole), rules }, { signal });
    return {};
  };
}

/** The names of all aggregated roles, which a change to any role may affect. */
export function aggregatedRoleKeys(clusterRoles: Pick<Informer<ClusterRole>, 'list'>): () => string[] {
  return () =>
    clusterRoles
      .list()
      .flatMap(({ aggregationRule, metadata: { name } }) =>
        aggregationRule === undefined || name === undefined ? [] : [name],
      );
}
