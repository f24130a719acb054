import semver from 'semver';
import type { KubernetesRelease, ReleasePhase } from '../kinds/kubernetes-release.ts';

/** An exact version and its release. */
export interface OfferedVersion {
  readonly version: string;
  readonly minor: string;
  readonly phase: ReleasePhase;
  readonly withdrawn: boolean;
}

/** The resolved spec.version, or why it can't be resolved. */
export type ResolvedVersion =
  | { readonly ok: true; readonly version: OfferedVersion }
  | { readonly ok: false; readonly problem: string };

/** The whole catalogue, oldest first. */
export function offeredVersions(releases: readonly KubernetesRelease[]): OfferedVersion[] {
  return releases
    .flatMap(({ spec }) =>
      spec.patches.map(({ version, withdrawn }) => ({ version, minor: spec.minor, phase: spec.phase, withdrawn })),
    )
    .sort((a, b) => semver.compare(a.version, b.version));
}

/**
 * The version of a new cluster with this `spec.version`: an exact version, the newest patch of a minor version, or if absent
 * the newest supported version. New clusters can't use versions that are withdrawn, deprecated or past their end of life.
 */
export function resolveVersion(requested: string | undefined, releases: readonly KubernetesRelease[]): ResolvedVersion {
  const offered = offeredVersions(releases);
  const choosable = offered.filter(isChoosable);
  if (requested === undefined) {
    const newest = choosable.findLast((candidate) => candidate.phase === 'Supported') ?? choosable.at(-1);
    return newest ? { ok: true, version: newest } : { ok: false, problem: 'the catalogue offers no version' };
  }
  const matches = (candidate: OfferedVersion) => candidate.version === requested || candidate.minor === requested;
  const version = choosable.findLast(matches);
  if (version) return { ok: true, version };
  const known = offered.findLast(matches);
  const reason = known ? whyNotChoosable(known) : 'is not in the catalogue';
  return { ok: false, problem: `${reason}; ${listOffer(choosable)}` };
}

/**
 * The desired version of a cluster that runs `current`: the same rules, except that the current version is always
 * allowed, an upgrade is limited to one minor version, and downgrades are rejected.
 */
export function resolveUpgrade(
  requested: string | undefined,
  current: string,
  releases: readonly KubernetesRelease[],
): ResolvedVersion {
  const offered = offeredVersions(releases);
  const running = offered.find((candidate) => candidate.version === current) ?? unlisted(current);
  if (requested === undefined || requested === current) return { ok: true, version: running };
  const isMinor = requested.split('.').length === 2;
  if (isMinor && requested === running.minor) {
    const newest = offered.findLast((candidate) => candidate.minor === running.minor && !candidate.withdrawn);
    return { ok: true, version: newest && semver.gt(newest.version, current) ? newest : running };
  }
  const problem = upgradeProblem(current, requested);
  if (problem) return { ok: false, problem };
  if (minorOf(requested) !== running.minor) return resolveVersion(requested, releases);
  const patch = offered.find((candidate) => candidate.version === requested && !candidate.withdrawn);
  return patch ? { ok: true, version: patch } : { ok: false, problem: 'is not in the catalogue' };
}

/** Why a cluster can't be upgraded from the exact version `current` to `requested` (exact or minor), or undefined. */
export function upgradeProblem(current: string, requested: string): string | undefined {
  const from = parts(current);
  const to = parts(requested);
  const isMinor = requested.split('.').length === 2;
  if (to.major !== from.major) return `is another major version than ${current}: there is no way to upgrade there`;
  if (to.minor < from.minor || (to.minor === from.minor && !isMinor && to.patch < from.patch)) {
    return `is older than ${current}, which the cluster runs: Kubernetes cannot be downgraded`;
  }
  if (to.minor > from.minor + 1) {
    const next = `${from.major}.${from.minor + 1}`;
    return `skips a minor version: the cluster runs ${current}, so upgrade to ${next} first`;
  }
  return undefined;
}

/** Minor versions that a cluster on `current` can be upgraded to: the next one, if it is offered. */
export function nextUpgradeVersions(current: string, releases: readonly KubernetesRelease[]): string[] {
  const { major, minor } = parts(current);
  const next = `${major}.${minor + 1}`;
  return offeredVersions(releases).some((candidate) => candidate.minor === next && isChoosable(candidate))
    ? [next]
    : [];
}

/** `1.34` of `1.34.2`, `v1.34.2` and `1.34`. */
export function minorOf(version: string): string {
  const { major, minor } = parts(version);
  return `${major}.${minor}`;
}

function isChoosable(candidate: OfferedVersion): boolean {
  return !candidate.withdrawn && (candidate.phase === 'Supported' || candidate.phase === 'Preview');
}

function whyNotChoosable(known: OfferedVersion): string {
  if (known.withdrawn) return 'has been withdrawn';
  return known.phase === 'EndOfLife'
    ? 'is at its end of life'
    : 'is deprecated: existing clusters alone may stay on it';
}

function listOffer(choosable: readonly OfferedVersion[]): string {
  const newest = new Map(choosable.map((candidate) => [candidate.minor, candidate.version]));
  const listed = [...newest].map(([minor, version]) => `${minor} (${version})`);
  return listed.length === 0 ? 'nothing is offered' : `choose one of ${listed.join(', ')}`;
}

function unlisted(version: string): OfferedVersion {
  return { version, minor: minorOf(version), phase: 'EndOfLife', withdrawn: true };
}

function parts(version: string): { major: number; minor: number; patch: number } {
  const parsed = semver.coerce(version);
  if (parsed === null) throw new Error(`"${version}" is not a Kubernetes version`);
  return { major: parsed.major, minor: parsed.minor, patch: parsed.patch };
}
