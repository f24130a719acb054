import type { KubernetesRelease, ReleasePhase } from '../kinds/kubernetes-release.ts';

/**
 * The current phase: the operator's override, or else the phase by date. Each date applies from the beginning of its
 * day in UTC.
 */
export function phaseOf({ spec }: KubernetesRelease, nowMs: number): ReleasePhase {
  if (spec.phaseOverride !== undefined) return spec.phaseOverride;
  const isReached = (date: string | undefined) => date !== undefined && nowMs >= Date.parse(date);
  if (isReached(spec.endOfLife)) return 'EndOfLife';
  if (isReached(spec.maintenanceMode)) return 'Deprecated';
  return spec.released === undefined || isReached(spec.released) ? 'Supported' : 'Preview';
}

/** When the phase next changes because of a date; undefined if never. */
export function nextPhaseChangeMs({ spec }: KubernetesRelease, nowMs: number): number | undefined {
  if (spec.phaseOverride !== undefined) return undefined;
  const dates = [spec.released, spec.maintenanceMode, spec.endOfLife].flatMap((date) => date ?? []);
  const upcoming = dates.map((date) => Date.parse(date)).filter((ms) => ms > nowMs);
  return upcoming.length === 0 ? undefined : Math.min(...upcoming);
}
