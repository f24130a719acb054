import { formatTime } from '@fairway/base/clock';
import type { Cluster } from '../kinds/cluster.ts';
import type { EndOfLifeStatus } from '../kinds/cluster-end-of-life.ts';
import type { ForcedUpgradeSettings, PlannedUpgrade } from '../kinds/forced-upgrade.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { MAX_CLOCK_SKEW_MS } from './clock-skew.ts';
import { durationMs } from './duration.ts';
import { isAtLeast, minorOf, nextMinor } from './version-numbers.ts';
import { forcedTarget } from './versions.ts';

const HOUR_MS = 3_600_000;

interface PlanFacts {
  /** The cluster; its status contains the version that it runs. */
  readonly cluster: Pick<Cluster, 'metadata' | 'status'>;
  /** The release of that version, for which an end-of-life notice is due. */
  readonly release: KubernetesRelease;
  readonly releases: readonly KubernetesRelease[];
  readonly nowMs: number;
}

/**
 * The forced upgrade to announce now, while an end-of-life notice applies; undefined if there is none. Pure. It is
 * announced at least `notice` in advance. An announced time moves later with the end of life, and moves earlier only
 * with a full `notice` from that time. Announcing requires a target version; an announced upgrade stays announced even
 * if its target version disappears later.
 */
export function planForcedUpgrade({ cluster, release, releases, nowMs }: PlanFacts): PlannedUpgrade | undefined {
  const { forcedUpgrade, minor } = release.spec;
  const version = cluster.status?.version;
  if (version === undefined || forcedUpgrade === undefined || isExempt(cluster, forcedUpgrade)) return undefined;
  const reported = cluster.status?.endOfLife?.minor === minor ? cluster.status.endOfLife : undefined;
  if (reported?.upgrade === undefined && forcedTarget(version, releases, nowMs) === undefined) return undefined;
  const to = nextMinor(version);
  const graceEndMs = roundUpToHour(endMsOf(release, reported, nowMs) + durationMs(forcedUpgrade.gracePeriod));
  const noticeMs = durationMs(forcedUpgrade.notice);
  if (reported?.upgrade === undefined)
    return { to, time: formatTime(Math.max(graceEndMs, roundUpToHour(nowMs + noticeMs))) };
  const reportedMs = Date.parse(reported.upgrade.time);
  // A time announced by one replica must not move earlier because of another replica's clock.
  const nearestMs = Math.max(graceEndMs, roundUpToHour(nowMs + MAX_CLOCK_SKEW_MS + noticeMs));
  const timeMs = graceEndMs > reportedMs ? graceEndMs : Math.min(reportedMs, nearestMs);
  return timeMs === reportedMs ? reported.upgrade : { to, time: formatTime(timeMs) };
}

/** The next full hour, so that a retry after a failed write announces the same time. */
function roundUpToHour(ms: number): number {
  return Math.ceil(ms / HOUR_MS) * HOUR_MS;
}

/** An end of life declared by the operator takes effect with the notice. */
function endMsOf({ spec }: KubernetesRelease, reported: EndOfLifeStatus | undefined, nowMs: number): number {
  const dateMs = Date.parse(spec.endOfLife ?? '');
  if (spec.phaseOverride !== 'EndOfLife') return dateMs;
  const reportedMs = reported?.notice === 0 ? Date.parse(reported.noticeTime) : nowMs;
  return Number.isNaN(dateMs) ? reportedMs : Math.min(dateMs, reportedMs);
}

export function isExempt({ metadata }: Pick<Cluster, 'metadata'>, { exempt }: ForcedUpgradeSettings): boolean {
  return exempt.some(
    ({ namespace, name }) => namespace === metadata.namespace && (name === undefined || name === metadata.name),
  );
}

/**
 * The effective `spec.version`: after a forced upgrade, an unchanged `spec.version` means the new minor version.
 * Kubernetes cannot be downgraded, and the cluster must keep getting patches. Never throws.
 */
export function requestedVersion({ spec, status }: Pick<Cluster, 'spec' | 'status'>): string | undefined {
  return isOverruled({ spec, status }) && status?.forcedUpgrade ? minorOf(status.forcedUpgrade.to) : spec.version;
}

/** Whether `spec.version` still has the version from before a forced upgrade. */
export function isOverruled({
  spec,
  status,
}: Pick<Cluster, 'spec'> & { status?: Cluster['status'] | undefined }): boolean {
  const { version } = spec;
  const forced = status?.forcedUpgrade;
  if (forced === undefined || version === undefined || version !== forced.asked) return false;
  return isAtLeast(status?.version ?? status?.desiredVersion, minorOf(forced.to));
}

/**
 * Whether the cluster got the minor version of `version` through a forced upgrade that its user has not confirmed
 * since.
 */
export function isForcedTo({ spec, status }: Pick<Cluster, 'spec' | 'status'>, version: string): boolean {
  const forced = status?.forcedUpgrade;
  if (forced === undefined || minorOf(forced.to) !== minorOf(version)) return false;
  return spec.version === undefined || spec.version === forced.asked;
}

/** The warning that `spec.version` no longer applies, with the reason and what to do; undefined if it applies. */
export function overruledVersion({
  spec,
  status,
}: Pick<Cluster, 'spec'> & { status?: Cluster['status'] | undefined }): string | undefined {
  const forced = status?.forcedUpgrade;
  if (forced === undefined || !isOverruled({ spec, status })) return undefined;
  const to = minorOf(forced.to);
  return `spec.version (${spec.version}): Kubernetes ${minorOf(forced.from)} has reached its end of life, and Fairway upgraded the cluster to ${to} on ${forced.time.slice(0, 10)} and installs its patches by updatePolicy: set it to ${to}`;
}
