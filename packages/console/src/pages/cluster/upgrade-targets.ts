import type { Cluster } from '@fairway/api/kinds/cluster';

export interface Target {
  /** The value for spec.version. */
  readonly version: string;
  readonly kind: 'patch' | 'minor';
}

/**
 * Versions that the cluster can be upgraded to now, according to the API: its newest patch, and the next minor
 * versions.
 */
export function upgradeTargets({ status }: Cluster): readonly Target[] {
  const { availablePatch, nextUpgradeVersions = [] } = status ?? {};
  return [
    ...(availablePatch === undefined ? [] : [{ version: availablePatch, kind: 'patch' as const }]),
    ...nextUpgradeVersions.map((version): Target => ({ version, kind: 'minor' })),
  ];
}
