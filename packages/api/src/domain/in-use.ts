import type { Cluster } from '../kinds/cluster.ts';
import { requestedVersion } from './forced-upgrade.ts';
import { minorOf } from './version-numbers.ts';

const MAX_NAMED_USERS = 3;

/** `2 clusters use it (team/a, team/b)`: lists only the first few by name. */
export function describeUsers(users: readonly Cluster[]): string {
  const names = users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
  const left = names.length - MAX_NAMED_USERS;
  const listed = [...names.slice(0, MAX_NAMED_USERS), ...(left > 0 ? [`${left} more`] : [])].join(', ');
  return names.length === 1 ? `cluster ${listed} uses it` : `${names.length} clusters use it (${listed})`;
}

/** Minor versions whose releases the cluster uses: the current and the requested one. Never throws. */
export function minorsInUse(cluster: Cluster): ReadonlySet<string> {
  const versions = [cluster.status?.version, requestedVersion(cluster)].filter((version) => version !== undefined);
  return new Set(versions.filter((version) => /^\d+\.\d+/.test(version)).map(minorOf));
}
