import type { KubernetesRelease, ReleasePhase } from '@fairway/api/kinds/kubernetes-release';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { type ExceededLimit, versionLimit, versionNumber } from '../../limits/plan-limits.ts';

/** A minor version that the catalogue currently offers to new clusters. */
export interface OfferedVersion {
  readonly minor: string;
  readonly newest: string;
  readonly phase: ReleasePhase;
  /** A date. */
  readonly supportedUntil: string | undefined;
  /** Whether it is the default version. */
  readonly isDefault: boolean;
  /** The plan's limit that the version exceeds. */
  readonly limit: ExceededLimit | undefined;
}

/**
 * Newest first. Versions that have reached end of life, or soon will, are only for existing clusters. The API decides.
 */
export function offeredVersions(
  releases: readonly KubernetesRelease[],
  plan: PlanSpec | undefined,
  nowMs: number,
): readonly OfferedVersion[] {
  const selectableReleases = releases.flatMap(({ metadata, spec, status }): OfferedVersion[] => {
    const { newest, phase } = status ?? {};
    if (newest === undefined || phase === undefined || metadata.deletionTimestamp !== undefined) return [];
    if (phase !== 'Supported' && phase !== 'Preview') return [];
    const limit = versionLimit(plan, spec.minor, nowMs);
    return [{ minor: spec.minor, newest, phase, supportedUntil: spec.endOfLife, isDefault: false, limit }];
  });
  const sorted = selectableReleases.toSorted((a, b) => versionNumber(b.minor) - versionNumber(a.minor));
  const supported = sorted.filter(({ phase, limit }) => phase === 'Supported' && limit?.isRefused !== true);
  const first = supported.find(({ limit }) => limit === undefined) ?? supported[0];
  return sorted.map((offeredVersion) => ({ ...offeredVersion, isDefault: offeredVersion === first }));
}
