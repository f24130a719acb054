import type { CatalogueFlavor, CatalogueQuotas } from '../admission/cloud-catalogue.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { pluralize } from './pluralize.ts';
import { portsPerNode } from './pool-networks.ts';
import { targetReplicas } from './target-replicas.ts';

export interface AvailableQuota {
  readonly flavors: readonly Pick<CatalogueFlavor, 'id' | 'name' | 'vcpus' | 'memoryMiB'>[];
  readonly quotas: CatalogueQuotas;
}

/** How much of each quota one node needs. */
const QUOTA_REQUIREMENTS = [
  { name: 'instances', noun: 'instances', of: () => 1 },
  { name: 'cores', noun: 'cores', of: (_pool, flavor) => flavor?.vcpus ?? 0 },
  { name: 'memoryMiB', noun: 'MiB of memory', of: (_pool, flavor) => flavor?.memoryMiB ?? 0 },
  { name: 'ports', noun: 'ports', of: ({ spec }) => portsPerNode(spec) },
  { name: 'floatingIPs', noun: 'floating IPs', of: ({ spec }) => (spec.floatingIPs.enabled ? 1 : 0) },
] as const satisfies readonly {
  readonly name: keyof CatalogueQuotas;
  readonly noun: string;
  readonly of: (pool: NodePool, flavor: AvailableQuota['flavors'][number] | undefined) => number;
}[];

/**
 * Why the project's quotas leave no room for a hibernated cluster's nodes; undefined if there is enough, or if this is
 * unknown. Existing nodes are already counted in the usage. Pure.
 */
export function wakingProblem(pools: readonly NodePool[], { flavors, quotas }: AvailableQuota): string | undefined {
  const nodes = pools.reduce((sum, pool) => sum + targetReplicas(pool), 0);
  for (const { name, noun, of } of QUOTA_REQUIREMENTS) {
    const quota = quotas[name];
    if (quota === undefined || quota.limit < 0) continue;
    let needed = 0;
    let held = 0;
    for (const pool of pools) {
      const flavor = flavors.find(({ id, name }) => id === pool.spec.flavor || name === pool.spec.flavor);
      needed += targetReplicas(pool) * of(pool, flavor);
      held += (pool.status?.replicas ?? 0) * of(pool, flavor);
    }
    const left = Math.max(0, quota.limit - quota.used + held);
    if (needed <= left) continue;
    return `${pluralize(nodes, 'node')} ${nodes === 1 ? 'needs' : 'need'} ${needed} ${noun}, and the project's quota of ${quota.limit} has ${left} left: free something, ask for a larger quota, or scale pools down`;
  }
  return undefined;
}
