import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { type OfferedVersion, offeredVersions } from './offered-versions.ts';
import { compareVersions, isMinor, minorOf, nextMinor, partsOf } from './version-numbers.ts';

/** The resolved spec.version, or why it can't be resolved. */
export type ResolvedVersion =
  | { readonly ok: true; readonly version: OfferedVersion }
  | {
      readonly ok: false;
      readonly problem: string;
      /** Whether only the version's binaries are missing. */
      readonly isMissing: boolean;
    };

/**
 * The version that a new cluster with this `spec.version` gets: an exact version, the newest patch of a minor version,
 * or, if absent, the newest supported version. New clusters can't use versions that are withdrawn, deprecated or past
 * their end of life, or that this installation can't run.
 */
export function resolveVersion(
  requested: string | undefined,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): ResolvedVersion {
  const offered = offeredVersions(releases, nowMs);
  const selectable = offered.filter(isSelectable);
  if (requested === undefined) {
    const supported = selectable.filter(({ phase }) => phase === 'Supported');
    const newest =
      newestOf(supported.filter(({ planWarning }) => planWarning === undefined)) ??
      newestOf(supported) ??
      newestOf(selectable) ??
      // An outdated catalogue is better than none.
      newestOf(offered.filter(({ phase, problem }) => phase === 'Deprecated' && problem === undefined));
    if (newest) return { ok: true, version: newest };
    const unavailable =
      offered.findLast(({ isMissing, phase }) => isMissing && phase === 'Supported') ??
      offered.findLast(({ problem, phase }) => problem !== undefined && phase === 'Supported');
    if (unavailable) {
      const { version, problem, isMissing } = unavailable;
      return { ok: false, problem: `no version is available: ${version} ${problem}`, isMissing };
    }
    const problem =
      offered.length === 0
        ? 'the catalog has no version'
        : 'the catalog has no available version: all have reached their end of life or are withdrawn, and the operator must add newer ones (kubectl get kubernetesreleases)';
    return { ok: false, problem, isMissing: false };
  }
  const matches = (candidate: OfferedVersion) => candidate.version === requested || candidate.minor === requested;
  const version = newestOf(selectable.filter(matches));
  if (version) return { ok: true, version };
  const known = offered.findLast(matches);
  const reason = known ? notSelectableReason(known, requested) : 'is not in the catalog';
  return { ok: false, problem: `${reason}; ${listVersions(selectable)}`, isMissing: known?.isMissing ?? false };
}

/**
 * The desired version for a cluster that runs `current`: the same rules apply, except that the current version is
 * always allowed, an upgrade is limited to one minor version, and downgrades are rejected. The next minor version may
 * have reached its end of life, because it is the only path to newer ones.
 */
export function resolveUpgrade(
  requested: string | undefined,
  current: string,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): ResolvedVersion {
  const offered = offeredVersions(releases, nowMs);
  const running = offered.find((candidate) => candidate.version === current) ?? unofferedVersion(current);
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
  const reason = known?.problem ?? 'is not in the catalog';
  return {
    ok: false,
    problem: `${reason}; ${listUpgrades(current, offered)}`,
    isMissing: known?.isMissing ?? false,
  };
}

/** Lists the versions to which a cluster can be upgraded instead. */
function listUpgrades(current: string, offered: readonly OfferedVersion[]): string {
  const possible = offered.filter(
    ({ version, problem }) =>
      version !== current && problem === undefined && upgradeProblem(current, version) === undefined,
  );
  if (possible.length === 0)
    return `no version newer than ${current} is available for this cluster yet: keep the current version`;
  return listVersions(possible);
}

/** The newest available patch of `current`'s minor version, if it is newer. */
export function newestPatch(current: string, offered: readonly OfferedVersion[]): OfferedVersion | undefined {
  const minor = minorOf(current);
  return offered.findLast(
    (candidate) =>
      candidate.minor === minor && candidate.problem === undefined && compareVersions(candidate.version, current) > 0,
  );
}

/**
 * Why a cluster can't be upgraded from the exact version `current` to `requested` (exact or minor); undefined if it
 * can.
 */
export function upgradeProblem(current: string, requested: string): string | undefined {
  const from = partsOf(current);
  const to = partsOf(requested);
  if (to.major !== from.major) return `is another major version than ${current}, to which there is no upgrade`;
  if (to.minor < from.minor || (to.minor === from.minor && !isMinor(requested) && to.patch < from.patch)) {
    return `is older than ${current}, which the cluster runs: Kubernetes cannot be downgraded`;
  }
  if (to.minor > from.minor + 1) {
    return `skips a minor version: the cluster runs ${current}, so upgrade to ${nextMinor(current)} first`;
  }
  return undefined;
}

/**
 * The target of a forced upgrade from `current`: the newest patch of the next minor version. That version may have
 * reached its end of life too, since it is the only path to newer ones; previews and patches at which clusters have
 * failed are excluded.
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

/**
 * Minor versions that a cluster on `current` can be upgraded to: the next one, provided that it is offered and no node
 * is too old for it.
 */
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
 * Whether an API server supports a kubelet at another version: never a newer one, and an older one by at most three
 * minor versions, or two before 1.28 (kubernetes.io/releases/version-skew-policy).
 */
export function isKubeletSkewAllowed(kubelet: string, apiServer: string): boolean {
  // A kubelet may report any string.
  if (!/^v?\d{1,4}\.\d{1,4}(\.|$)/.test(kubelet)) return false;
  const node = partsOf(kubelet);
  const server = partsOf(apiServer);
  const behind = server.minor - node.minor;
  return node.major === server.major && behind >= 0 && behind <= (server.minor >= 28 ? 3 : 2);
}

function isSelectable({ phase, problem }: OfferedVersion): boolean {
  return problem === undefined && (phase === 'Supported' || phase === 'Preview');
}

/**
 * Takes the newest version from a sorted list. A version whose rollout stopped after failures is taken only if
 * there is no other.
 */
function newestOf(candidates: readonly OfferedVersion[]): OfferedVersion | undefined {
  const newest = candidates.at(-1);
  if (newest === undefined || !newest.isHalted) return newest;
  return candidates.findLast(({ isHalted, minor }) => !isHalted && minor === newest.minor) ?? newest;
}

function notSelectableReason(known: OfferedVersion, requested: string): string {
  if (known.phase === 'EndOfLife') return 'has reached its end of life';
  if (known.phase === 'Deprecated') return 'is deprecated: only existing clusters can keep it';
  return isMinor(requested) ? `(${known.version}) ${known.problem}` : (known.problem ?? 'is not available');
}

function listVersions(selectable: readonly OfferedVersion[]): string {
  const newest = new Map(selectable.map((candidate) => [candidate.minor, candidate.version]));
  const listed = [...newest].map(([minor, version]) => `${minor} (${version})`);
  return listed.length === 0 ? 'no version is available' : `choose one of ${listed.join(', ')}`;
}

function unofferedVersion(version: string): OfferedVersion {
  const problem = 'is not in the catalog';
  return { version, minor: minorOf(version), phase: 'EndOfLife', problem, isMissing: false, isHalted: false };
}
