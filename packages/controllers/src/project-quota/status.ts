import { sumOfReplicas } from '@fairway/api/domain/plan-limits';
import {
  type EffectiveQuota,
  type QuotaResource,
  sumOfCores,
  type VcpuLookup,
} from '@fairway/api/domain/project-quota';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ProjectQuota, ProjectQuotaStatus } from '@fairway/api/kinds/project-quota';

export interface QuotaUsage {
  readonly clusters: number;
  /** All pools in the namespace. */
  readonly pools: readonly NodePool[];
  readonly vcpusOf: VcpuLookup;
  /** The effective quota, from either source. */
  readonly quota: EffectiveQuota;
}

/** The namespace's usage of the resources that a ProjectQuota limits. Pure. */
export function quotaStatus(
  { spec }: ProjectQuota,
  { clusters, pools, vcpusOf, quota }: QuotaUsage,
): ProjectQuotaStatus {
  const areCoresKnown = pools.every((pool) => vcpusOf(pool) !== undefined);
  const used = {
    clusters,
    nodes: sumOfReplicas(pools),
    ...(areCoresKnown && { cores: sumOfCores(pools, vcpusOf) }),
  };
  const shown = (resource: QuotaResource) => {
    const limit = spec[resource] ?? quota[resource]?.limit;
    return `${used[resource] ?? '?'}/${limit ?? 'unlimited'}`;
  };
  return { used, clusters: shown('clusters'), nodes: shown('nodes'), cores: shown('cores') };
}
