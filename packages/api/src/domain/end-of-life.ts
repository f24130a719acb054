import { formatTime } from '@fairway/base/clock';
import type { Cluster } from '../kinds/cluster.ts';
import type { EndOfLifeStatus } from '../kinds/cluster-end-of-life.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { MAX_CLOCK_SKEW_MS } from './clock-skew.ts';
import { planForcedUpgrade } from './forced-upgrade.ts';
import { minorOf } from './version-numbers.ts';

const DAY_MS = 86_400_000;

/** How many days before the end of life clusters are notified; 0 is the day itself. */
const NOTICE_DAYS = [0, 1, 7, 30] as const;

/** A notice that is due, because at most this many days are left. 0: the minor version has reached its end of life. */
export interface Notice {
  readonly days: number;
  /** Undefined: the operator declared the end of life without a date. */
  readonly date: string | undefined;
}

/**
 * The notice that applies now; undefined while the end of life is further away or unknown. An operator's override takes
 * precedence over the date.
 */
export function noticeOf({ spec }: Pick<KubernetesRelease, 'spec'>, nowMs: number): Notice | undefined {
  const { phaseOverride, endOfLife: date } = spec;
  const endMs = date === undefined ? Number.NaN : Date.parse(date);
  // The operator must fix an invalid date.
  if (phaseOverride === 'EndOfLife') return { days: 0, date: endMs <= nowMs ? date : undefined };
  if (phaseOverride !== undefined || Number.isNaN(endMs)) return undefined;
  const days = NOTICE_DAYS.find((each) => endMs - nowMs <= each * DAY_MS);
  return days === undefined ? undefined : { days, date };
}

/** When the next notice is due; undefined if none is left. */
export function nextNoticeMs({ spec }: Pick<KubernetesRelease, 'spec'>, nowMs: number): number | undefined {
  if (spec.phaseOverride !== undefined || spec.endOfLife === undefined) return undefined;
  const endMs = Date.parse(spec.endOfLife);
  const times = NOTICE_DAYS.map((days) => endMs - days * DAY_MS).filter((ms) => ms > nowMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When the announced upgrade is due; undefined if none was announced or it is already due. */
export function plannedUpgradeMs({ status }: Pick<Cluster, 'status'>, nowMs: number): number | undefined {
  const planned = status?.endOfLife?.upgrade;
  const timeMs = planned === undefined ? Number.NaN : Date.parse(planned.time);
  return timeMs > nowMs ? timeMs : undefined;
}

export function releaseOf(
  version: string | undefined,
  releases: readonly KubernetesRelease[],
): KubernetesRelease | undefined {
  if (version === undefined) return undefined;
  const minor = minorOf(version);
  return releases.find(({ spec }) => spec.minor === minor);
}

/**
 * Whether another replica, whose clock is slightly ahead, has just announced the notice. Such a notice is never
 * withdrawn.
 */
function wasJustReported({ noticeTime }: EndOfLifeStatus, nowMs: number): boolean {
  const aheadMs = Date.parse(noticeTime) - nowMs;
  return aheadMs > 0 && aheadMs <= MAX_CLOCK_SKEW_MS;
}

/**
 * `status.endOfLife` with the notice that applies now. Pure and level-triggered: an earlier notice stays unchanged, so
 * nothing is written between two notices. A new date or minor version leads to a new notice. The notice includes the
 * forced upgrade planned for clusters that keep this minor version.
 */
export function decideEndOfLife(
  cluster: Pick<Cluster, 'metadata' | 'status'>,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): EndOfLifeStatus | undefined {
  const { status } = cluster;
  const release = releaseOf(status?.version, releases);
  if (release === undefined) return undefined;
  const { minor, endOfLife: date, phaseOverride } = release.spec;
  const reported = status?.endOfLife;
  if (
    reported?.minor === minor &&
    reported.date === date &&
    phaseOverride === undefined &&
    wasJustReported(reported, nowMs)
  )
    return reported;
  const due = noticeOf(release, nowMs);
  if (due === undefined) return undefined;
  // The end of life is announced only once, even if an override preceded the date.
  const isReported =
    reported?.minor === minor && reported.notice === due.days && (reported.date === due.date || due.days === 0);
  const upgrade = planForcedUpgrade({ cluster, release, releases, nowMs });
  if (isReported && reported.upgrade?.time === upgrade?.time) return reported;
  const { upgrade: _previousUpgrade, ...notice } = isReported ? reported : noticeNow(minor, due, nowMs);
  return { ...notice, ...(upgrade && { upgrade }) };
}

function noticeNow(minor: string, { date, days }: Notice, nowMs: number): EndOfLifeStatus {
  return { minor, ...(date !== undefined && { date }), notice: days, noticeTime: formatTime(nowMs) };
}

/**
 * The minor version to upgrade the cluster to now, because its own has reached its end of life and the announced time
 * has passed; undefined if no upgrade is due.
 */
export function dueUpgrade(
  cluster: Pick<Cluster, 'metadata' | 'status'>,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): string | undefined {
  // Without a notice, no upgrade is due.
  if (cluster.status?.endOfLife?.upgrade === undefined) return undefined;
  const planned = decideEndOfLife(cluster, releases, nowMs)?.upgrade;
  return planned !== undefined && Date.parse(planned.time) <= nowMs ? planned.to : undefined;
}
