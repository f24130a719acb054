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
  /** With the version that the cluster runs. */
  readonly cluster: Pick<Cluster, 'metadata' | 'status'>;
  /** Of that version, with a notice that is due. */
  readonly release: KubernetesRelease;
  readonly releases: readonly KubernetesRelease[];
  readonly nowMs: number;
}

/**
 * What the cluster is told now of the upgrade that it gets without being asked, while a notice of the end holds; undefined: it gets none. Pure. It is told
 * `notice` before at least. A time that was told moves away with the end of life, and comes nearer only with `notice` from then. It needs somewhere to go
 * to be told; a target that is missing later takes nothing back.
 */
export function planForcedUpgrade({ cluster, release, releases, nowMs }: PlanFacts): PlannedUpgrade | undefined {
  const { forcedUpgrade, minor } = release.spec;
  const version = cluster.status?.version;
  if (version === undefined || forcedUpgrade === undefined || isExempt(cluster, forcedUpgrade)) return undefined;
  const told = cluster.status?.endOfLife?.minor === minor ? cluster.status.endOfLife : undefined;
  if (told?.upgrade === undefined && forcedTarget(version, releases, nowMs) === undefined) return undefined;
  const to = nextMinor(version);
  const graceEndMs = wholeHour(endMsOf(release, told, nowMs) + durationMs(forcedUpgrade.gracePeriod));
  const noticeMs = durationMs(forcedUpgrade.notice);
  if (told?.upgrade === undefined) return { to, time: formatTime(Math.max(graceEndMs, wholeHour(nowMs + noticeMs))) };
  const toldMs = Date.parse(told.upgrade.time);
  // A time that one replica has told comes no nearer for another.
  const nearestMs = Math.max(graceEndMs, wholeHour(nowMs + MAX_CLOCK_SKEW_MS + noticeMs));
  const timeMs = graceEndMs > toldMs ? graceEndMs : Math.min(toldMs, nearestMs);
  return timeMs === toldMs ? told.upgrade : { to, time: formatTime(timeMs) };
}

/** The next one: who tells a time again, because it could not be written down, tells the same one. */
function wholeHour(ms: number): number {
  return Math.ceil(ms / HOUR_MS) * HOUR_MS;
}

/** An end by the operator's word came when the cluster was told of it. */
function endMsOf({ spec }: KubernetesRelease, told: EndOfLifeStatus | undefined, nowMs: number): number {
  const dateMs = Date.parse(spec.endOfLife ?? '');
  if (spec.phaseOverride !== 'EndOfLife') return dateMs;
  const toldMs = told?.notice === 0 ? Date.parse(told.noticeTime) : nowMs;
  return Number.isNaN(dateMs) ? toldMs : Math.min(dateMs, toldMs);
}

export function isExempt({ metadata }: Pick<Cluster, 'metadata'>, { exempt }: ForcedUpgradeSettings): boolean {
  return exempt.some(
    ({ namespace, name }) => namespace === metadata.namespace && (name === undefined || name === metadata.name),
  );
}

/**
 * `spec.version` as it counts: who was upgraded without being asked, and has not changed it since, follows the minor version that he was brought to. Kubernetes
 * cannot be downgraded, and he is to get its patches. Never throws.
 */
export function requestedVersion({ spec, status }: Pick<Cluster, 'spec' | 'status'>): string | undefined {
  return isOverruled({ spec, status }) && status?.forcedUpgrade ? minorOf(status.forcedUpgrade.to) : spec.version;
}

/** Whether `spec.version` names a version that the cluster was upgraded from without being asked. */
export function isOverruled({
  spec,
  status,
}: Pick<Cluster, 'spec'> & { status?: Cluster['status'] | undefined }): boolean {
  const { version } = spec;
  const forced = status?.forcedUpgrade;
  if (forced === undefined || version === undefined || version !== forced.asked) return false;
  return isAtLeast(status?.version ?? status?.desiredVersion, minorOf(forced.to));
}

/** Whether the cluster was brought to the minor version of `version` without being asked; not if its user has asked for it since. */
export function isForcedTo({ spec, status }: Pick<Cluster, 'spec' | 'status'>, version: string): boolean {
  const forced = status?.forcedUpgrade;
  if (forced === undefined || minorOf(forced.to) !== minorOf(version)) return false;
  return spec.version === undefined || spec.version === forced.asked;
}

/** That `spec.version` counts no more, why, and what to do; undefined where it does. */
export function overruledVersion({
  spec,
  status,
}: Pick<Cluster, 'spec'> & { status?: Cluster['status'] | undefined }): string | undefined {
  const forced = status?.forcedUpgrade;
  if (forced === undefined || !isOverruled({ spec, status })) return undefined;
  const to = minorOf(forced.to);
  return `spec.version (${spec.version}): Kubernetes ${minorOf(forced.from)} has reached its end of life, and the cluster was upgraded to ${to} on ${forced.time.slice(0, 10)} without being asked, whose patches it follows by updatePolicy: set it to ${to}`;
}
