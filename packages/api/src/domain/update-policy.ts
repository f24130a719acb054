import type { Cluster } from '../kinds/cluster.ts';
import { requestedVersion } from './forced-upgrade.ts';
import { isMinor, minorOf } from './version-numbers.ts';

/**
 * The minor version whose patches the cluster follows; undefined if it specifies an exact version or a different minor
 * version, or is not running any version yet.
 */
export function followedMinor(cluster: Cluster): string | undefined {
  const version = cluster.status?.version;
  if (version === undefined) return undefined;
  const running = minorOf(version);
  const requested = requestedVersion(cluster);
  const isFollowing = requested === undefined || (isMinor(requested) && requested === running);
  return isFollowing ? running : undefined;
}

/**
 * Whether the cluster installs its minor version's patches automatically. `isSeamless`: whether its API server stays
 * available during an update.
 */
export function acceptsPatches({ spec }: Cluster, isSeamless: boolean): boolean {
  switch (spec.updatePolicy) {
    case 'AlwaysUpdate':
      return true;
    case 'MinimalDowntime':
      return isSeamless;
    case 'NeverUpdate':
      return false;
  }
}
