import type { CloudProfile } from '@fairway/api/kinds/cloud-profile';

export interface Quota {
  readonly name: string;
  readonly used: number;
  /** Undefined: unlimited. */
  readonly limit: number | undefined;
}

const UNLIMITED = -1;
/** Quotas with their own columns. */
const MAIN_QUOTAS: ReadonlySet<string> = new Set(['instances', 'cores', 'memoryMiB']);
const NEARLY_FULL_SHARE = 0.9;

export function quotasOf({ status }: Pick<CloudProfile, 'status'>): readonly Quota[] {
  return (status?.quotas ?? []).map(({ name, used, limit }) => ({
    name,
    used,
    limit: limit === UNLIMITED ? undefined : limit,
  }));
}

export function quotaOf(profile: Pick<CloudProfile, 'status'>, name: string): Quota | undefined {
  return quotasOf(profile).find((quota) => quota.name === name);
}

/**
 * Used share of a quota, 0 to 1; 0 if there is no quota. A limit of 0 does not count as exhausted: the cloud does not
 * offer the resource.
 */
export function usedShare({ used, limit }: Quota): number {
  return limit === undefined || limit === 0 ? 0 : used / limit;
}

/** The fullest quota without its own column. */
export function fullestOtherQuota(profile: Pick<CloudProfile, 'status'>): Quota | undefined {
  const otherQuotas = quotasOf(profile).filter(
    ({ name, limit }) => !MAIN_QUOTAS.has(name) && limit !== undefined && limit > 0,
  );
  return otherQuotas.reduce<Quota | undefined>(
    (fullest, quota) => (fullest === undefined || usedShare(quota) > usedShare(fullest) ? quota : fullest),
    undefined,
  );
}

export function isNearlyFull(profile: Pick<CloudProfile, 'status'>): boolean {
  return quotasOf(profile).some((quota) => usedShare(quota) >= NEARLY_FULL_SHARE);
}
