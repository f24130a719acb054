import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '@fairway/base/clock';
import { parseCron } from '@fairway/base/cron-schedule';
import type { Cluster } from '../kinds/cluster.ts';
import type { HibernationSchedule, HibernationSpec, HibernationStatus } from '../kinds/cluster-hibernation.ts';
import { isNewRequest, requestToRecord } from './request.ts';

/** Whether the cluster is hibernated or being hibernated: it should have no nodes. */
export function shouldHibernate(cluster: Pick<Cluster, 'status'> | undefined): boolean {
  return cluster?.status?.hibernation?.wanted === true;
}

/**
 * `status.hibernation` with the state desired now. Pure and level-triggered: the user's fields (`enabled`,
 * `requestedAt`) and scheduled times take effect in chronological order, including those missed in the meantime. `spec`
 * is never written, because it may be managed in Git. Undefined if hibernation was never used. A new schedule is not
 * retroactive: one for 20:00, added at 21:00, does not hibernate the cluster immediately.
 */
export function decideHibernation(cluster: Cluster, nowMs: number): HibernationStatus | undefined {
  const spec: HibernationSpec = cluster.spec.hibernation ?? { enabled: false };
  const previous = cluster.status?.hibernation;
  const isSettled = previous === undefined || (!previous.wanted && !previous.hibernated);
  if (cluster.spec.hibernation === undefined && isSettled) return undefined;
  const { last: event, hibernateMs, wakeMs } = forecastOf(spec.schedules, nowMs);
  const rest = {
    hibernated: previous?.hibernated ?? false,
    ...(previous?.since !== undefined && { since: previous.since }),
    ...((hibernateMs ?? wakeMs) !== undefined && {
      next: {
        ...(hibernateMs !== undefined && { hibernate: formatTime(hibernateMs) }),
        ...(wakeMs !== undefined && { wake: formatTime(wakeMs) }),
      },
    }),
  };
  const followed = followedRequestOf(spec, previous, nowMs);
  const common = { ...rest, followed };
  // Removing the field wakes the cluster.
  const isRequested =
    isChangeRequested(spec, previous?.followed) ||
    (cluster.spec.hibernation === undefined && previous?.wanted === true);
  if (isRequested) return { ...common, wanted: spec.enabled, wantedSince: formatTime(nowMs) };
  const wanted = previous?.wanted ?? false;
  const wantedSince = previous?.wantedSince ?? formatTime(nowMs);
  const effectiveFromMs = Math.max(Date.parse(wantedSince), Date.parse(followed.time));
  if (event === undefined || event.timeMs <= effectiveFromMs || event.wanted === wanted) {
    return { ...common, wanted, wantedSince };
  }
  return { ...common, wanted: event.wanted, wantedSince: formatTime(event.timeMs) };
}

/** The next scheduled change; undefined if there is none. */
export function nextHibernationChangeMs({ spec }: Pick<Cluster, 'spec'>, nowMs: number): number | undefined {
  const { hibernateMs, wakeMs } = forecastOf(spec.hibernation?.schedules, nowMs);
  const times = [hibernateMs, wakeMs].filter((timeMs) => timeMs !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** A time is processed once, and only if it is later than the last one. */
function isChangeRequested({ enabled, requestedAt }: HibernationSpec, last: HibernationStatus['followed']): boolean {
  return enabled !== (last?.enabled ?? false) || isNewRequest(requestedAt, last?.requestedAt);
}

function followedRequestOf(
  { enabled, requestedAt: requestTime, schedules }: HibernationSpec,
  previous: HibernationStatus | undefined,
  nowMs: number,
): NonNullable<HibernationStatus['followed']> {
  const last = previous?.followed;
  const requestedAt = requestToRecord(requestTime, last?.requestedAt);
  const now = { enabled, ...(requestedAt !== undefined && { requestedAt }), ...(schedules && { schedules }) };
  const { time = formatTime(nowMs), ...before } = last ?? {};
  return isDeepStrictEqual(now, before) ? { ...now, time } : { ...now, time: formatTime(nowMs) };
}

interface ScheduledEvent {
  readonly timeMs: number;
  readonly wanted: boolean;
}

/** The last and next scheduled change. */
interface Forecast {
  readonly last?: ScheduledEvent | undefined;
  readonly hibernateMs?: number | undefined;
  readonly wakeMs?: number | undefined;
}

/** Forecasts cached by list of schedules, each with its validity period, because computing one takes milliseconds. */
const known = new WeakMap<
  readonly HibernationSchedule[],
  Forecast & { readonly fromMs: number; readonly untilMs: number }
>();

function forecastOf(schedules: readonly HibernationSchedule[] | undefined, nowMs: number): Forecast {
  if (schedules === undefined) return {};
  const stored = known.get(schedules);
  if (stored && stored.fromMs <= nowMs && nowMs < stored.untilMs) return stored;
  let last: ScheduledEvent | undefined;
  let hibernateMs: number | undefined;
  let wakeMs: number | undefined;
  for (const { hibernate, wake, timeZone } of schedules) {
    if (hibernate !== undefined) {
      const times = parseCron(hibernate, timeZone);
      last = latestEvent(last, times.last(nowMs), true);
      hibernateMs = earliestTime(hibernateMs, times.next(nowMs));
    }
    if (wake !== undefined) {
      const times = parseCron(wake, timeZone);
      last = latestEvent(last, times.last(nowMs), false);
      wakeMs = earliestTime(wakeMs, times.next(nowMs));
    }
  }
  const untilMs = Math.min(hibernateMs ?? Number.POSITIVE_INFINITY, wakeMs ?? Number.POSITIVE_INFINITY);
  const forecast = { last, hibernateMs, wakeMs, fromMs: nowMs, untilMs };
  known.set(schedules, forecast);
  return forecast;
}

/** If two events fall at the same time, waking wins. */
function latestEvent(
  last: ScheduledEvent | undefined,
  timeMs: number | undefined,
  wanted: boolean,
): ScheduledEvent | undefined {
  if (timeMs === undefined || (last && timeMs < last.timeMs)) return last;
  return last?.timeMs === timeMs ? { timeMs, wanted: last.wanted && wanted } : { timeMs, wanted };
}

function earliestTime(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
