import { portsPerNode } from '../domain/pool-networks.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import { targetReplicas } from '../domain/target-replicas.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { CatalogueFlavor, CatalogueQuota, CloudCatalogue } from './cloud-catalogue.ts';
import { findByIdOrName } from './references.ts';

export interface PoolQuotaFacts {
  readonly pool: NodePool;
  /** The stored object; undefined on create. */
  readonly old: NodePool | undefined;
  readonly catalogue: CloudCatalogue;
}

interface QuotaNeed {
  readonly what: string;
  readonly quota: CatalogueQuota;
  readonly perNode: number;
  /** Undefined if the pool's previous flavor is unknown. */
  readonly perOldNode: number | undefined;
}

/**
 * Warnings about what currently exceeds the project's quota: additional nodes, and replacing existing nodes after a
 * flavor change. Pure.
 */
export function quotaWarnings(facts: PoolQuotaFacts): string[] {
  const { pool, old } = facts;
  const isOtherFlavor = old !== undefined && old.spec.flavor !== pool.spec.flavor;
  return isOtherFlavor ? flavorWarnings(facts, old) : sizeWarnings(facts);
}

function sizeWarnings(facts: PoolQuotaFacts): string[] {
  const added = facts.pool.spec.replicas - (facts.old?.spec.replicas ?? 0);
  if (added <= 0) return [];
  return quotaNeeds(facts).flatMap(({ what, quota, perNode }) => {
    const left = remainingQuota(quota);
    return added * perNode <= left
      ? []
      : [
          `spec.replicas: ${added} more nodes need ${added * perNode} ${what}, but the project's quota of ${quota.limit} has ${left} left: some nodes will wait until there is room`,
        ];
  });
}

/**
 * The peak usage beyond the pool's current usage: at the first replacement if the nodes become smaller, at the last one
 * if they become larger.
 */
function flavorWarnings(facts: PoolQuotaFacts, old: NodePool): string[] {
  const nodes = old.status?.replicas ?? targetReplicas(old);
  const desired = targetReplicas({ ...facts.pool, status: old.status ?? {} });
  const surge = nodes === 0 ? 0 : rolloutLimits(facts.pool, desired).maxSurge;
  return quotaNeeds(facts).flatMap(({ what, quota, perNode, perOldNode }) => {
    if (perOldNode === undefined) return [];
    const increase = desired * perNode - nodes * perOldNode;
    const needed = Math.max(surge * perNode, increase + surge * perOldNode);
    const left = remainingQuota(quota);
    return needed <= left
      ? []
      : [
          `spec.flavor (${facts.pool.spec.flavor}): replacing the nodes temporarily needs ${needed} ${what}, but the project's quota of ${quota.limit} has ${left} left: the replacement will wait until there is room`,
        ];
  });
}

function remainingQuota({ limit, used }: CatalogueQuota): number {
  return Math.max(0, limit - used);
}

function quotaNeeds({ pool, old, catalogue: { flavors, quotas } }: PoolQuotaFacts): QuotaNeed[] {
  const flavor = flavors && findByIdOrName(flavors, pool.spec.flavor);
  if (flavor === undefined || quotas === undefined) return [];
  const before = old && findByIdOrName(flavors ?? [], old.spec.flavor);
  const need = (what: string, quota: CatalogueQuota | undefined, of: (flavor: CatalogueFlavor) => number) =>
    quota === undefined || quota.limit < 0
      ? []
      : [{ what, quota, perNode: of(flavor), perOldNode: before && of(before) }];
  return [
    ...need('instances', quotas.instances, () => 1),
    ...need('cores', quotas.cores, ({ vcpus }) => vcpus),
    ...need('MiB of memory', quotas.memoryMiB, ({ memoryMiB }) => memoryMiB),
    ...need('ports', quotas.ports, () => portsPerNode(pool.spec)),
    ...(pool.spec.floatingIPs?.enabled ? need('floating IPs', quotas.floatingIPs, () => 1) : []),
  ];
}
