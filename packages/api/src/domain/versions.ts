import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { type OfferedVersion, offeredVersions } from './offered-versions.ts';
import { compareVersions, isMinor, minorOf, nextMinor, partsOf } from './version-numbers.ts';

/** The resolved spec.version, or why it can't be resolved. */
export type ResolvedVersion =
  | { readonly ok: true; readonly version: OfferedVersion }
  | {
      readonly ok: false;
      readonly problem: string;
      /** Whether it can be had as soon as this Fairway has its programs. */
      readonly isMissing: boolean;
    };

/**
 * The version of a new cluster with this `spec.version`: an exact version, the newest patch of a minor version, or if absent
 * the newest supported version. New clusters can't use versions that are withdrawn, deprecated or past their end of life, nor those that this Fairway can't run.
 */
export function resolveVersion(
  requested: string | undefined,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): ResolvedVersion {
  const offered = offeredVersions(releases, nowMs);
  const choosable = offered.filter(isChoosable);
  if (requested === undefined) {
    const newest =
      newestOf(choosable.filter(({ phase }) => phase === 'Supported')) ??
      newestOf(choosable) ??
      // An aged catalogue is better than none.
      newestOf(offered.filter(({ phase, problem }) => phase === 'Deprecated' && problem === undefined));
    if (newest) return { ok: true, version: newest };
    const missing = offered.findLast(({ isMissing, phase }) => isMissing && phase === 'Supported');
    if (missing)
      return { ok: false, problem: `nothing is offered: ${missing.version} ${missing.problem}`, isMissing: true };
    const problem =
      offered.length === 0
        ? 'the catalogue offers no version'
        : 'the catalogue offers no version: all have reached their end of life or are withdrawn, and the operator has to add newer ones (kubectl get kubernetesreleases)';
    return { ok: false, problem, isMissing: false };
  }
  const matches = (candidate: OfferedVersion) => candidate.version === requested || candidate.minor === requested;
  const version = newestOf(choosable.filter(matches));
  if (version) return { ok: true, version };
  const known = offered.findLast(matches);
  const reason = known ? whyNotChoosable(known, requested) : 'is not in the catalogue';
  return { ok: false, problem: `${reason}; ${listOffer(choosable)}`, isMissing: known?.isMissing ?? false };
}

/**
 * The desired version of a cluster that runs `current`: the same rules, except that the current version is always
 * allowed, an upgrade is limited to one minor version, and downgrades are rejected. The next minor version may have reached its end of life: it is
 * the only way to newer ones.
 */
export function resolveUpgrade(
  requested: string | undefined,
  current: string,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): ResolvedVersion {
  const offered = offeredVersions(releases, nowMs);
  const running = offered.find((candidate) => candidate.version === current) ?? unlisted(current);
  if (requested === undefined || requested === current) return { ok: true, version: running };
  if (isMinor(requested) && requested === running.minor) {
    return { ok: true, version: newestPatch(current, offered) ?? running };
  }
  const problem = upgradeProblem(current, requested);
  if (problem) return { ok: false, problem, isMissing: false };
  const matching = offered.filter(({ version, minor }) => version === requested || minor === requested);
  const version = newestOf(matching.filter((candidate) => candidate.problem === undefined));
  if (version) return { ok: true, version };
  const known = matching.at(-1);
  const reason = known?.problem ?? 'is not in the catalogue';
  return {
    ok: false,
    problem: `${reason}; ${listUpgrades(current, offered)}`,
    isMissing: known?.isMissing ?? false,
  };
}

/** What a cluster may be upgraded to instead. */
function listUpgrades(current: string, offered: readonly OfferedVersion[]): string {
  const possible = offered.filter(
    ({ version, problem }) =>
      version !== current && problem === undefined && upgradeProblem(current, version) === undefined,
  );
  if (possible.length === 0) return `nothing newer than ${current} is offered to this cluster yet: leave it there`;
  return listOffer(possible);
}

/** The newest patch of the minor version of `current` that is newer, and that clusters may take. */
export function newestPatch(current: string, offered: readonly OfferedVersion[]): OfferedVersion | undefined {
  const minor = minorOf(current);
  return offered.findLast(
    (candidate) =>
      candidate.minor === minor && candidate.problem === undefined && compareVersions(candidate.version, current) > 0,
  );
}

/** Why a cluster can't be upgraded from the exact version `current` to `requested` (exact or minor), or undefined. */
export function upgradeProblem(current: string, requested: string): string | undefined {
  const from = partsOf(current);
  const to = partsOf(requested);
  if (to.major !== from.major) return `is another major version than ${current}: there is no way to upgrade there`;
  if (to.minor < from.minor || (to.minor === from.minor && !isMinor(requested) && to.patch < from.patch)) {
    return `is older than ${current}, which the cluster runs: Kubernetes cannot be downgraded`;
  }
  if (to.minor > from.minor + 1) {
    return `skips a minor version: the cluster runs ${current}, so upgrade to ${nextMinor(current)} first`;
  }
  return undefined;
}

/**
 * What a cluster on `current` gets that is upgraded without being asked: the newest patch of the next minor version. That may have reached its end of life
 * too, since it is the only way to newer ones; a preview is nobody's who did not ask for it, nor is a patch at which clusters have failed.
 */
export function forcedTarget(
  current: string,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): OfferedVersion | undefined {
  const next = nextMinor(current);
  return offeredVersions(releases, nowMs).findLast(
    ({ minor, phase, problem, isHalted }) =>
      minor === next && phase !== 'Preview' && problem === undefined && !isHalted,
  );
}

/** Minor versions that a cluster on `current` can be upgraded to: the next one, if it is offered and no node is too old for it. */
export function nextUpgradeVersions(
  current: string,
  releases: readonly KubernetesRelease[],
  nowMs: number,
  oldestNode?: string,
): string[] {
  const next = nextMinor(current);
  if (oldestNode !== undefined && !isKubeletSkewAllowed(oldestNode, next)) return [];
  const isOffered = offeredVersions(releases, nowMs).some(
    (candidate) => candidate.minor === next && candidate.problem === undefined,
  );
  return isOffered ? [next] : [];
}

/**
 * Whether an API server of one version may have kubelets of another: never newer ones, and older ones by up to three minor versions; by up to two
 * before 1.28 (kubernetes.io/releases/version-skew-policy).
 */
export function isKubeletSkewAllowed(kubelet: string, apiServer: string): boolean {
  // A kubelet may report anything.
  if (!/^v?\d{1,4}\.\d{1,4}(\.|$)/.test(kubelet)) return false;
  const node = partsOf(kubelet);
  const server = partsOf(apiServer);
  const behind = server.minor - node.minor;
  return node.major === server.major && behind >= 0 && behind <= (server.minor >= 28 ? 3 : 2);
}

function isChoosable({ phase, problem }: OfferedVersion): boolean {
  return problem === undefined && (phase === 'Supported' || phase === 'Preview');
}

/** Of what is sorted by age; a version whose rollout has stopped after failures only if there is no other. */
function newestOf(candidates: readonly OfferedVersion[]): OfferedVersion | undefined {
  const newest = candidates.at(-1);
  if (newest === undefined || !newest.isHalted) return newest;
  return candidates.findLast(({ isHalted, minor }) => !isHalted && minor === newest.minor) ?? newest;
}

function whyNotChoosable(known: OfferedVersion, requested: string): string {
  if (known.phase === 'EndOfLife') return 'is at its end of life';
  if (known.phase === 'Deprecated') return 'is deprecated: existing clusters alone may stay on it';
  return isMinor(requested) ? `(${known.version}) ${known.problem}` : (known.problem ?? 'is not offered');
}

function listOffer(choosable: readonly OfferedVersion[]): string {
  const newest = new Map(choosable.map((candidate) => [candidate.minor, candidate.version]));
  const listed = [...newest].map(([minor, version]) => `${minor} (${version})`);
  return listed.length === 0 ? 'nothing is offered' : `choose one of ${listed.join(', ')}`;
}

function unlisted(version: string): OfferedVersion {
  const problem = 'is not in the catalogue';
  return { version, minor: minorOf(version), phase: 'EndOfLife', problem, isMissing: false, isHalted: false };
}
