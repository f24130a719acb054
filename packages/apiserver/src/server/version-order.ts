/** Kubernetes' order of version names: v2, v1, v2beta1, v1beta2, v1alpha1, then all others by name. */
export function compareVersions(left: string, right: string): number {
  const a = versionRank(left);
  const b = versionRank(right);
  if (a === undefined || b === undefined) {
    if (a !== undefined) return -1;
    return b === undefined && left < right ? -1 : 1;
  }
  return b.stability - a.stability || b.major - a.major || b.minor - a.minor;
}

function versionRank(version: string) {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor = 0] = match;
  return { major: Number(major), minor: Number(minor), stability: ['alpha', 'beta', undefined].indexOf(stage) };
}
