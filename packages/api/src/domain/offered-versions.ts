import semver, { type SemVer } from 'semver';
import type { KubernetesRelease, ReleasePhase } from '../kinds/kubernetes-release.ts';
import { phaseOf } from './release-phase.ts';
import { releaseProblems } from './release-problems.ts';

/** An exact version and its release. */
export interface OfferedVersion {
  readonly version: string;
  readonly minor: string;
  readonly phase: ReleasePhase;
  /** Why clusters cannot start using the version; undefined if they can. */
  readonly problem: string | undefined;
  /** Whether the problem is that its binaries are missing. */
  readonly isMissing: boolean;
  /** The warning shown when clusters with the plan start using the version; such a version is never the default. */
  readonly planWarning?: string | undefined;
  /**
   * Whether the rollout of the version stopped after failures: the version is then selected only if no other matches.
   */
  readonly isHalted: boolean;
}

/** A release, in some cases with a plan's limits: see `limits/version-window.ts`. */
type Release = KubernetesRelease & { readonly planProblem?: string; readonly planWarning?: string };

/** The whole catalogue, oldest first. */
export function offeredVersions(releases: readonly Release[], nowMs: number): OfferedVersion[] {
  return releases
    .flatMap((release) => {
      const phase = phaseOf(release, nowMs);
      return patchesOf(release).map(({ parsed, patch }) => ({ parsed, offered: { ...patch, phase } }));
    })
    .sort((a, b) => a.parsed.compare(b.parsed))
    .map(({ offered }) => offered);
}

interface Patch {
  readonly parsed: SemVer;
  readonly patch: Omit<OfferedVersion, 'phase'>;
}

/** Cached, because every reconcile of a cluster reads the catalogue, and its cached objects are immutable. */
const patches = new WeakMap<Release, readonly Patch[]>();

function patchesOf(release: Release): readonly Patch[] {
  const known = patches.get(release) ?? findPatches(release);
  patches.set(release, known);
  return known;
}

function findPatches(release: Release): readonly Patch[] {
  const { metadata, spec, status, planProblem, planWarning } = release;
  const releaseProblem = releaseProblemOf(release);
  return spec.patches.map(({ version, withdrawn }) => {
    const isMissing =
      planProblem === undefined && status?.available !== undefined && !withdrawn && !status.available.includes(version);
    const missing = isMissing ? `cannot run here: ${missingBinariesMessage(version)}` : undefined;
    const problem =
      (metadata.deletionTimestamp !== undefined ? 'is being removed from the catalog' : undefined) ??
      releaseProblem ??
      (withdrawn ? 'has been withdrawn' : (planProblem ?? missing));
    const isHalted = status?.rollout?.state === 'Halted' && status.rollout.version === version;
    return {
      parsed: new semver.SemVer(version),
      patch: { version, minor: spec.minor, problem, isMissing, isHalted, planWarning },
    };
  });
}

/** The message that tells the operator which command to run. */
export function missingBinariesMessage(version: string): string {
  return `this Fairway does not have the binaries of ${version}; the operator downloads them with "fairway releases fetch ${version}"`;
}

function releaseProblemOf(release: KubernetesRelease): string | undefined {
  const [problem] = releaseProblems(release);
  return problem && `is part of KubernetesRelease ${release.metadata.name}, which the operator must fix`;
}
