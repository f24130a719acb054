import type { KubernetesRelease, ReleasePhase } from '@fairway/api/kinds/kubernetes-release';

/** A minor version that a new cluster may have, as the catalogue says now. */
export interface Offered {
  readonly minor: string;
  readonly newest: string;
  readonly phase: ReleasePhase;
  /** A day. */
  readonly supportedUntil: string | undefined;
  /** Whether a cluster gets it that names none. */
  readonly isDefault: boolean;
}

/** The newest first. Those that have ended, or that end soon, are for clusters that are there; the API has the last word. */
export function offeredVersions(releases: readonly KubernetesRelease[]): readonly Offered[] {
  const choosable = releases.flatMap(({ metadata, spec, status }): Offered[] => {
    const { newest, phase } = status ?? {};
    if (newest === undefined || phase === undefined || metadata.deletionTimestamp !== undefined) return [];
    if (phase !== 'Supported' && phase !== 'Preview') return [];
    return [{ minor: spec.minor, newest, phase, supportedUntil: spec.endOfLife, isDefault: false }];
  });
  const sorted = choosable.toSorted((a, b) => numberOf(b.minor) - numberOf(a.minor));
  const first = sorted.find(({ phase }) => phase === 'Supported');
  return sorted.map((offered) => ({ ...offered, isDefault: offered === first }));
}

function numberOf(minor: string): number {
  const [major = 0, number = 0] = minor.split('.').map(Number);
  return major * 1000 + number;
}
