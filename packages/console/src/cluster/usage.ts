import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { type Flavor, flavorOf } from './flavors.ts';

/** The resources of a cluster that count towards a project's quotas. */
export const QUOTA_RESOURCES = ['instances', 'cores', 'memoryMiB', 'floatingIPs'] as const;
export type QuotaResource = (typeof QUOTA_RESOURCES)[number];

export interface PoolSize {
  readonly flavor: string;
  readonly nodes: number;
  readonly hasFloatingIPs?: boolean | undefined;
}

export interface ResourceUsage {
  readonly what: QuotaResource;
  readonly needed: number;
  /** What is left of the quota. Undefined: unlimited or unknown. */
  readonly left: number | undefined;
  readonly limit: number | undefined;
}

/** The pools' total usage of each quota; unused quotas are omitted. Unknown flavors count only as nodes. */
export function usageOf(
  pools: readonly PoolSize[],
  { flavors = [], quotas = [] }: CloudProfileStatus,
): readonly ResourceUsage[] {
  const sum = (of: (flavor: Flavor | undefined, pool: PoolSize) => number) =>
    pools.reduce((total, pool) => total + pool.nodes * of(flavorOf(flavors, pool.flavor), pool), 0);
  const totals: Readonly<Record<QuotaResource, number>> = {
    instances: sum(() => 1),
    cores: sum((flavor) => flavor?.vcpus ?? 0),
    memoryMiB: sum((flavor) => flavor?.memoryMiB ?? 0),
    floatingIPs: sum((_flavor, { hasFloatingIPs }) => (hasFloatingIPs ? 1 : 0)),
  };
  return QUOTA_RESOURCES.filter((what) => totals[what] > 0).map((what) => {
    const quota = quotas.find(({ name }) => name === what);
    const isLimited = quota !== undefined && quota.limit >= 0;
    return {
      what,
      needed: totals[what],
      limit: isLimited ? quota.limit : undefined,
      left: isLimited ? Math.max(0, quota.limit - quota.used) : undefined,
    };
  });
}

/** How many nodes of a flavor the quotas allow; undefined: unlimited. */
export function maxNodesFor(flavor: Flavor, profile: CloudProfileStatus): number | undefined {
  const nodeLimits = usageOf([{ flavor: flavor.id, nodes: 1 }], { ...profile, flavors: [flavor] }).flatMap(
    ({ needed, left }) => (left === undefined ? [] : [Math.floor(left / needed)]),
  );
  return nodeLimits.length === 0 ? undefined : Math.min(...nodeLimits);
}

/** The cloud's offer without these pools, so that their resources count only once when they are changed. */
export function withoutPools(profile: CloudProfileStatus, pools: readonly PoolSize[]): CloudProfileStatus {
  if (profile.quotas === undefined) return profile;
  const taken = new Map<string, number>(usageOf(pools, profile).map(({ what, needed }) => [what, needed]));
  const quotas = profile.quotas.map((quota) => ({
    ...quota,
    used: Math.max(0, quota.used - (taken.get(quota.name) ?? 0)),
  }));
  return { ...profile, quotas };
}
