import semver from 'semver';

export interface VersionParts {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Parses `1.34.2`, `v1.34.2` and `1.34`. Throws for anything else. */
export function partsOf(version: string): VersionParts {
  const parsed = semver.coerce(version);
  if (parsed === null) throw new Error(`"${version}" is not a Kubernetes version`);
  return { major: parsed.major, minor: parsed.minor, patch: parsed.patch };
}

/** The minor version (`1.34`) of `1.34.2`, `v1.34.2` or `1.34`. */
export function minorOf(version: string): string {
  const { major, minor } = partsOf(version);
  return `${major}.${minor}`;
}

/** Whether the string is a minor version rather than an exact one. */
export function isMinor(version: string): boolean {
  return version.split('.').length === 2;
}

/** Whether the exact version is at least `minimum`, which is a minor or an exact version. */
export function isAtLeast(version: string | undefined, minimum: string): boolean {
  if (version === undefined) return false;
  return compareVersions(version, isMinor(minimum) ? `${minimum}.0` : minimum) >= 0;
}

/** The minor version that follows that of `version`. */
export function nextMinor(version: string): string {
  const { major, minor } = partsOf(version);
  return `${major}.${minor + 1}`;
}

/** Negative if the exact version `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  return semver.compare(a, b);
}
