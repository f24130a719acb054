import type { CatalogueFlavor, CatalogueQuotas } from '@fairway/api/admission/cloud-catalogue';
import { ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { portsPerNode } from '@fairway/api/domain/pool-networks';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { UpgradeFinding, UpgradeQuota } from '@fairway/api/kinds/upgrade-plan-request';
import type { PoolUpdate } from './pool-updates.ts';

/** A node's quota usage. */
const QUOTA_NEEDS = [
  { name: 'instances', what: 'instances', of: () => 1 },
  { name: 'cores', what: 'cores', of: (_, flavor) => flavor.vcpus },
  { name: 'memoryMiB', what: 'MiB of memory', of: (_, flavor) => flavor.memoryMiB },
  { name: 'ports', what: 'ports', of: ({ spec }) => portsPerNode(spec) },
  { name: 'floatingIPs', what: 'floating IPs', of: ({ spec }) => (spec.floatingIPs.enabled ? 1 : 0) },
  { name: 'volumes', what: 'volumes', of: ({ spec }) => (spec.rootVolume ? 1 : 0) },
  { name: 'volumeGiB', what: 'GiB of volumes', of: ({ spec }) => spec.rootVolume?.sizeGiB ?? 0 },
] as const satisfies readonly {
  readonly name: keyof CatalogueQuotas;
  readonly what: string;
  readonly of: (pool: NodePool, flavor: CatalogueFlavor) => number;
}[];

export interface SurgeQuota {
  readonly quotas: readonly UpgradeQuota[] | undefined;
  readonly findings: readonly UpgradeFinding[];
}

/**
 * The resources that additional machines need, compared with the project's remaining quota; pools with the same order
 * need them at the same time. Pure.
 */
export function surgeQuota(
  renewals: readonly PoolUpdate[],
  { flavors, quotas }: { readonly flavors?: readonly CatalogueFlavor[]; readonly quotas?: CatalogueQuotas },
): SurgeQuota {
  const beside = renewals.filter(({ extra }) => extra > 0);
  if (beside.length === 0) return { quotas: [], findings: [] };
  if (flavors === undefined || quotas === undefined) {
    const message = 'the cloud does not respond: cannot determine whether the quotas have room for the new nodes';
    return { quotas: undefined, findings: [{ type: ConditionReason.CloudUnavailable, effect: 'Unknown', message }] };
  }
  const entries: UpgradeQuota[] = [];
  const findings: UpgradeFinding[] = [];
  const waves = [...Map.groupBy(beside, ({ order }) => order).values()];
  for (const { name, what, of } of QUOTA_NEEDS) {
    const quota = quotas[name];
    if (quota === undefined || quota.limit < 0) continue;
    const perNode = ({ pool }: PoolUpdate) => {
      const flavor = flavors.find(
        ({ id, name: flavorName }) => id === pool.spec.flavor || flavorName === pool.spec.flavor,
      );
      return flavor === undefined ? 0 : of(pool, flavor);
    };
    const needed = Math.max(...waves.map((wave) => wave.reduce((sum, each) => sum + each.extra * perNode(each), 0)));
    if (needed === 0) continue;
    const left = Math.max(0, quota.limit - quota.used);
    const isEnough = needed <= left;
    entries.push({ name, needed, left, limit: quota.limit, isEnough });
    if (isEnough) continue;
    const nodes = Math.max(...waves.map((wave) => wave.reduce((sum, { extra }) => sum + extra, 0)));
    const fitsOneNode = beside.every((each) => perNode(each) <= left);
    const message = `${pluralize(nodes, 'additional node')} ${nodes === 1 ? 'needs' : 'need'} ${needed} ${what}, and the project's quota of ${quota.limit} has ${left} left: `;
    findings.push({
      type: ConditionReason.QuotaExceeded,
      effect: fitsOneNode ? 'Delays' : 'Blocks',
      message:
        message +
        (fitsOneNode
          ? 'fewer are created at a time'
          : 'free resources, request a larger quota, or update nodes in place (spec.upgradeStrategy.type of the pool)'),
    });
  }
  return { quotas: entries, findings };
}
