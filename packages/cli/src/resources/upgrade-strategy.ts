import type { Cluster } from '@fairway/api/kinds/cluster';
import { InvalidArgumentError } from 'commander';

/** Named as in OVHcloud's API: LATEST_PATCH, NEXT_MINOR. */
export const UPGRADE_STRATEGIES = ['latest-patch', 'next-minor'] as const;
export type UpgradeStrategy = (typeof UPGRADE_STRATEGIES)[number];

/** Also accepts the spelling used by scripts written for that API. */
export function upgradeStrategy(text: string): UpgradeStrategy {
  const name = text.toLowerCase().replaceAll('_', '-');
  const found = UPGRADE_STRATEGIES.find((strategy) => strategy === name);
  if (found === undefined) {
    throw new InvalidArgumentError('Allowed choices are latest-patch (LATEST_PATCH) and next-minor (NEXT_MINOR).');
  }
  return found;
}

/** The new value of spec.version and why, or why it stays unchanged. */
export type VersionWithReason = { readonly version: string; readonly why: string } | { readonly nothing: string };

/**
 * The version to upgrade a cluster to. Without a strategy: the next available minor version, otherwise the newest
 * patch.
 */
export function versionFor(cluster: Cluster, strategy?: UpgradeStrategy): VersionWithReason {
  const { metadata, spec, status } = cluster;
  if (status?.version === undefined) {
    return { nothing: `does not run a version yet: see "fairway cluster get ${metadata.name}"` };
  }
  const next = strategy === 'latest-patch' ? undefined : status.nextUpgradeVersions?.[0];
  if (next !== undefined) return { version: next, why: `${next} is the next minor version after ${status.version}` };
  if (strategy === 'next-minor') {
    return { nothing: `runs ${status.version}; no newer minor version is available for it (strategy NEXT_MINOR)` };
  }
  const patch = status.availablePatch;
  if (patch !== undefined) {
    const why = strategy === 'latest-patch' ? '' : '; no newer minor version is available for the cluster';
    return { version: patch, why: `${patch} is the newest patch${why}` };
  }
  if (strategy === 'latest-patch') {
    return { nothing: `runs ${status.version}; no newer patch is available for it (strategy LATEST_PATCH)` };
  }
  const isRequested =
    spec.version !== undefined && status.upToDate === false ? ', to which its nodes are being upgraded' : '';
  return { nothing: `runs ${status.version}${isRequested}; no newer version is available for it` };
}
