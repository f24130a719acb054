import type { Cluster } from '../kinds/cluster.ts';
import type { Plan } from '../kinds/plan.ts';
import { requestedVersion } from './forced-upgrade.ts';
import { minorOf } from './version-numbers.ts';

const MAX_NAMED_USERS = 3;

/** `2 clusters use it (team/a, team/b)`: only the first few are listed by name. */
export function describeUsers(users: readonly Cluster[]): string {
  const names = users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
  return names.length === 1 ? `cluster ${listed(names)} uses it` : `${names.length} clusters use it (${listed(names)})`;
}

/** Like `describeUsers`, for the Plans that name a Plan in `limitsFrom`. */
export function describeDependents(dependents: readonly Plan[]): string {
  const names = dependents.map(({ metadata }) => metadata.name ?? '').sort();
  return names.length === 1
    ? `plan ${listed(names)} takes its limits from it`
    : `${names.length} plans take their limits from it (${listed(names)})`;
}

/** Plans that name the plan `name` in `limitsFrom` and are not being deleted. */
export function dependentsOf(name: string, plans: readonly Plan[]): readonly Plan[] {
  return plans.filter(({ metadata, spec }) => spec.limitsFrom === name && metadata.deletionTimestamp === undefined);
}

function listed(names: readonly string[]): string {
  const left = names.length - MAX_NAMED_USERS;
  return [...names.slice(0, MAX_NAMED_USERS), ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** Minor versions whose releases the cluster uses: the current and the requested one. Never throws. */
export function minorsInUse(cluster: Cluster): ReadonlySet<string> {
  const versions = [cluster.status?.version, requestedVersion(cluster)].filter((version) => version !== undefined);
  return new Set(versions.filter((version) => /^\d+\.\d+/.test(version)).map(minorOf));
}
