import { formatTime } from '@fairway/base/clock';
import type { Cluster } from '../kinds/cluster.ts';
import type { EndOfLifeStatus } from '../kinds/cluster-end-of-life.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { MAX_CLOCK_SKEW_MS } from './clock-skew.ts';
import { planForcedUpgrade } from './forced-upgrade.ts';
import { minorOf } from './version-numbers.ts';

const DAY_MS = 86_400_000;

/** Days before the end at which clusters are told, and the end itself. */
const NOTICE_DAYS = [0, 1, 7, 30] as const;

/** A notice that is due: so many days are left at most; 0: the minor version has ended. */
export interface Notice {
  readonly days: number;
  /** Undefined: it has ended by the operator's word. */
  readonly date: string | undefined;
}

/** The notice that holds now; undefined while the end is further away, or none is known. An operator's override counts whatever the date is. */
export function noticeOf({ spec }: Pick<KubernetesRelease, 'spec'>, nowMs: number): Notice | undefined {
  const { phaseOverride, endOfLife: date } = spec;
  const endMs = date === undefined ? Number.NaN : Date.parse(date);
  // A date that is no day of the calendar is the operator's to put right.
  if (phaseOverride === 'EndOfLife') return { days: 0, date: endMs <= nowMs ? date : undefined };
  if (phaseOverride !== undefined || Number.isNaN(endMs)) return undefined;
  const days = NOTICE_DAYS.find((each) => endMs - nowMs <= each * DAY_MS);
  return days === undefined ? undefined : { days, date };
}

/** When the next notice is due; undefined: none is. */
export function nextNoticeMs({ spec }: Pick<KubernetesRelease, 'spec'>, nowMs: number): number | undefined {
  if (spec.phaseOverride !== undefined || spec.endOfLife === undefined) return undefined;
  const endMs = Date.parse(spec.endOfLife);
  const times = NOTICE_DAYS.map((days) => endMs - days * DAY_MS).filter((ms) => ms > nowMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When the time comes of the upgrade that the cluster was told of; undefined: it was told of none, or it has come. */
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

/** By another replica, whose clock is a little ahead: nobody takes back what it told. */
function isJustTold({ noticeTime }: EndOfLifeStatus, nowMs: number): boolean {
  const aheadMs = Date.parse(noticeTime) - nowMs;
  return aheadMs > 0 && aheadMs <= MAX_CLOCK_SKEW_MS;
}

/**
 * `status.endOfLife` with the notice that holds now. Pure, and level-triggered: what was told already stays as it is, so that nothing is written between
 * two notices. Another date or another minor version is told anew. Along with the notice goes what is planned for clusters that stay.
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
  const told = status?.endOfLife;
  if (told?.minor === minor && told.date === date && phaseOverride === undefined && isJustTold(told, nowMs))
    return told;
  const due = noticeOf(release, nowMs);
  if (due === undefined) return undefined;
  // The end is told once, also where an override came before the date.
  const isTold = told?.minor === minor && told.notice === due.days && (told.date === due.date || due.days === 0);
  const upgrade = planForcedUpgrade({ cluster, release, releases, nowMs });
  if (isTold && told.upgrade?.time === upgrade?.time) return told;
  const { upgrade: _before, ...notice } = isTold ? told : noticeNow(minor, due, nowMs);
  return { ...notice, ...(upgrade && { upgrade }) };
}

function noticeNow(minor: string, { date, days }: Notice, nowMs: number): EndOfLifeStatus {
  return { minor, ...(date !== undefined && { date }), notice: days, noticeTime: formatTime(nowMs) };
}

/** The minor version that the cluster gets now without being asked, because its own has ended and the time has come that it was told of; undefined: none. */
export function dueUpgrade(
  cluster: Pick<Cluster, 'metadata' | 'status'>,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): string | undefined {
  // Whoever was not told has time.
  if (cluster.status?.endOfLife?.upgrade === undefined) return undefined;
  const planned = decideEndOfLife(cluster, releases, nowMs)?.upgrade;
  return planned !== undefined && Date.parse(planned.time) <= nowMs ? planned.to : undefined;
}
