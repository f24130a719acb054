import type { KubernetesRelease, ReleasePhase } from '@fairway/api/kinds/kubernetes-release';

/** A minor version that the catalogue currently offers to new clusters. */
export interface OfferedVersion {
  readonly minor: string;
  readonly newest: string;
  readonly phase: ReleasePhase;
  /** A date. */
  readonly supportedUntil: string | undefined;
  /** Whether it is the default version. */
  readonly isDefault: boolean;
}

/**
 * Newest first. Versions that have reached end of life, or soon will, are only for existing clusters. The API decides.
 */
export function offeredVersions(releases: readonly KubernetesRelease[]): readonly OfferedVersion[] {
  const selectableReleases = releases.flatMap(({ metadata, spec, status }): OfferedVersion[] => {
    const { newest, phase } = status ?? {};
    if (newest === undefined || phase === undefined || metadata.deletionTimestamp !== undefined) return [];
    if (phase !== 'Supported' && phase !== 'Preview') return [];
    return [{ minor: spec.minor, newest, phase, supportedUntil: spec.endOfLife, isDefault: false }];
  });
  const sorted = selectableReleases.toSorted((a, b) => numberOf(b.minor) - numberOf(a.minor));
  const first = sorted.find(({ phase }) => phase === 'Supported');
  return sorted.map((offeredVersion) => ({ ...offeredVersion, isDefault: offeredVersion === first }));
}

function numberOf(minor: string): number {
  const [major = 0, number = 0] = minor.split('.').map(Number);
  return major * 1000 + number;
}
