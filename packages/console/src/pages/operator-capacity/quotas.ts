import type { CloudProfile } from '@fairway/api/kinds/cloud-profile';

export interface Quota {
  readonly name: string;
  readonly used: number;
  /** Undefined: without one. */
  readonly limit: number | undefined;
}

const UNLIMITED = -1;
/** Those that have columns of their own. */
const MAIN: ReadonlySet<string> = new Set(['instances', 'cores', 'memoryMiB']);
const NEARLY = 0.9;

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

/** Used share of a quota, 0 to 1; 0 without one. A limit of 0 is not exhausted: the cloud does not offer the resource. */
export function usedShare({ used, limit }: Quota): number {
  return limit === undefined || limit === 0 ? 0 : used / limit;
}

/** Of those without a column of their own, the one with the least left. */
export function fullestOther(profile: Pick<CloudProfile, 'status'>): Quota | undefined {
  const others = quotasOf(profile).filter(({ name, limit }) => !MAIN.has(name) && limit !== undefined && limit > 0);
  return others.reduce<Quota | undefined>(
    (fullest, quota) => (fullest === undefined || usedShare(quota) > usedShare(fullest) ? quota : fullest),
    undefined,
  );
}

export function isNearlyFull(profile: Pick<CloudProfile, 'status'>): boolean {
  return quotasOf(profile).some((quota) => usedShare(quota) >= NEARLY);
}
