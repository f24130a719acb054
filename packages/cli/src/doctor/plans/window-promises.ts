import { type OfferedVersion, offeredVersions } from '@fairway/api/domain/offered-versions';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { releasesOfPlan } from '@fairway/api/limits/version-window';
import type { Promised } from './promised.ts';
import type { StoredPlan } from './stated-limits.ts';

/** Kubernetes versions of a plan's window that new clusters can't use. Pure. */
export function windowPromises(
  { metadata, spec }: StoredPlan,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): Promised[] {
  const { kubernetes } = spec;
  if (kubernetes?.oldest === undefined && kubernetes?.newest === undefined) return [];
  const window = [
    ...(kubernetes.oldest === undefined ? [] : [`oldest ${kubernetes.oldest}`]),
    ...(kubernetes.newest === undefined ? [] : [`newest ${kubernetes.newest}`]),
  ].join(', ');
  const inWindow = releasesOfPlan({ metadata, spec }, { releases, nowMs }).filter(
    ({ planProblem }) => planProblem === undefined,
  );
  const offered = offeredVersions(inWindow, nowMs);
  const usable = offered.filter(isUsable);
  const missing = newestMissing(offered.filter(({ minor }) => !usable.some((each) => each.minor === minor)));
  if (usable.length === 0 && missing.length === 0) {
    return [
      {
        what: `spec.kubernetes: ${window}`,
        problem: `no KubernetesRelease within it is supported; the catalog has ${minorsOf(releases)}`,
        advice: 'change the window, or add a KubernetesRelease',
      },
    ];
  }
  return missing.map(({ version, minor }) => ({
    what: `spec.kubernetes: ${window}`,
    problem: `the binaries of all patches of ${minor} are missing here`,
    advice: `fairway releases fetch ${version}`,
  }));
}

function isUsable({ problem, phase }: OfferedVersion): boolean {
  return problem === undefined && (phase === 'Supported' || phase === 'Preview');
}

/** The newest patch of each supported minor version whose binaries are missing. `versions` are sorted. */
function newestMissing(versions: readonly OfferedVersion[]): readonly OfferedVersion[] {
  const newest = new Map<string, OfferedVersion>();
  for (const each of versions) {
    if (each.isMissing && each.phase === 'Supported') newest.set(each.minor, each);
  }
  return [...newest.values()];
}

function minorsOf(releases: readonly KubernetesRelease[]): string {
  return releases.map(({ spec }) => spec.minor).join(', ') || 'none';
}
