import type { CatalogueFlavor, CatalogueQuotas } from '../admission/cloud-catalogue.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { counted } from './counted.ts';
import { portsPerNode } from './pool-networks.ts';
import { wantedReplicas } from './wanted-replicas.ts';

export interface QuotaOffer {
  readonly flavors: readonly Pick<CatalogueFlavor, 'id' | 'name' | 'vcpus' | 'memoryMiB'>[];
  readonly quotas: CatalogueQuotas;
}

/** How much of each quota a node needs. */
const NEEDS = [
  { name: 'instances', what: 'instances', of: () => 1 },
  { name: 'cores', what: 'cores', of: (_pool, flavor) => flavor?.vcpus ?? 0 },
  { name: 'memoryMiB', what: 'MiB of memory', of: (_pool, flavor) => flavor?.memoryMiB ?? 0 },
  { name: 'ports', what: 'ports', of: ({ spec }) => portsPerNode(spec) },
  { name: 'floatingIPs', what: 'floating IPs', of: ({ spec }) => (spec.floatingIPs.enabled ? 1 : 0) },
] as const satisfies readonly {
  readonly name: keyof CatalogueQuotas;
  readonly what: string;
  readonly of: (pool: NodePool, flavor: QuotaOffer['flavors'][number] | undefined) => number;
}[];

/**
 * Why the project's quotas have no room for the nodes of a hibernated cluster; undefined if they do, as far as known. Existing nodes are already
 * counted in the usage. Pure.
 */
export function wakingProblem(pools: readonly NodePool[], { flavors, quotas }: QuotaOffer): string | undefined {
  const nodes = pools.reduce((sum, pool) => sum + wantedReplicas(pool), 0);
  for (const { name, what, of } of NEEDS) {
    const quota = quotas[name];
    if (quota === undefined || quota.limit < 0) continue;
    let needed = 0;
    let held = 0;
    for (const pool of pools) {
      const flavor = flavors.find(({ id, name }) => id === pool.spec.flavor || name === pool.spec.flavor);
      needed += wantedReplicas(pool) * of(pool, flavor);
      held += (pool.status?.replicas ?? 0) * of(pool, flavor);
    }
    const left = Math.max(0, quota.limit - quota.used + held);
    if (needed <= left) continue;
    return `${counted(nodes, 'node')} ${nodes === 1 ? 'needs' : 'need'} ${needed} ${what}, and the project's quota of ${quota.limit} has ${left} left: free something, ask for a larger quota, or scale pools down`;
  }
  return undefined;
}
