import semver, { type SemVer } from 'semver';
import type { KubernetesRelease, ReleasePhase } from '../kinds/kubernetes-release.ts';
import { phaseOf } from './release-phase.ts';
import { releaseProblems } from './release-problems.ts';

/** An exact version and its release. */
export interface OfferedVersion {
  readonly version: string;
  readonly minor: string;
  readonly phase: ReleasePhase;
  /** Why no cluster may begin to use it; undefined if one may. */
  readonly problem: string | undefined;
  /** Whether the problem is that this Fairway has no programs of it. */
  readonly isMissing: boolean;
  /** Whether its rollout has stopped after failures: it is chosen only where nothing else fits. */
  readonly isHalted: boolean;
}

/** The whole catalogue, oldest first. */
export function offeredVersions(releases: readonly KubernetesRelease[], nowMs: number): OfferedVersion[] {
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

/** Each pass over a cluster asks for the catalogue, whose objects don't change once they are cached. */
const patches = new WeakMap<KubernetesRelease, readonly Patch[]>();

function patchesOf(release: KubernetesRelease): readonly Patch[] {
  const known = patches.get(release) ?? findPatches(release);
  patches.set(release, known);
  return known;
}

function findPatches(release: KubernetesRelease): readonly Patch[] {
  const { metadata, spec, status } = release;
  const ofAll = problemOfAll(release);
  return spec.patches.map(({ version, withdrawn }) => {
    const isMissing = status?.available !== undefined && !withdrawn && !status.available.includes(version);
    const missing = isMissing ? `cannot run here: ${missingPrograms(version)}` : undefined;
    const problem =
      (metadata.deletionTimestamp !== undefined ? 'is being taken out of the catalogue' : undefined) ??
      ofAll ??
      (withdrawn ? 'has been withdrawn' : missing);
    const isHalted = status?.rollout?.state === 'Halted' && status.rollout.version === version;
    return { parsed: new semver.SemVer(version), patch: { version, minor: spec.minor, problem, isMissing, isHalted } };
  });
}

/** Whose turn it is, and what to type. */
export function missingPrograms(version: string): string {
  return `this Fairway has no programs of ${version}; the operator downloads them with "fairway releases fetch ${version}"`;
}

function problemOfAll(release: KubernetesRelease): string | undefined {
  const [problem] = releaseProblems(release);
  return problem && `is part of KubernetesRelease ${release.metadata.name}, which the operator has to put right`;
}
