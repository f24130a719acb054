import { formatTime } from '@fairway/base/clock';
import type { UsageInterval, UsageRecordStatus, UsageResource } from '../../kinds/usage-record.ts';

/** A resource that exists now. */
export interface ObservedItem {
  readonly id: string;
  readonly type: string;
  /** In GiB; 1 by default. */
  readonly quantity?: number;
  /** Start time as reported by the cloud or the API. */
  readonly sinceMs: number;
}

/** Observed end of a resource: it still existed at `fromMs`, but not at `toMs`. */
export interface EndWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** All items of a resource type in one observation. */
export interface UsageObservation {
  readonly resource: UsageResource;
  /** When the observation started. */
  readonly atMs: number;
  readonly items: readonly ObservedItem[];
  /** Known end times of resources that are not among the items. */
  readonly endOf?: (id: string) => EndWindow | undefined;
  /** When a resource's type and size were last known to be unchanged. */
  readonly unchangedMsOf?: (id: string) => number | undefined;
}

/**
 * The status after observing some resource types; the same object if the observations show nothing new. Other resource
 * types stay unchanged. Pure.
 *
 * **Guarantees.** Intervals with the same ID never overlap, whatever the order of observations and however often
 * one is repeated: an observation that started before the last accepted one is ignored, and no interval begins before
 * the last accepted observation or before the end of the ID's previous interval.
 */
export function followUsage(status: UsageRecordStatus, observations: readonly UsageObservation[]): UsageRecordStatus {
  const before = status.intervals ?? [];
  let intervals: readonly UsageInterval[] = before;
  for (const observation of observations) {
    const observedMs = timeOf(status.observedTimes?.[observation.resource]);
    if (observation.atMs < (observedMs ?? Number.NEGATIVE_INFINITY)) continue;
    intervals = applyObservation(intervals, observation, observedMs);
  }
  if (intervals === before) return status;
  const times = observations.map(({ resource, atMs }) => {
    const lastMs = timeOf(status.observedTimes?.[resource]) ?? atMs;
    return [resource, formatTime(Math.max(lastMs, atMs))] as const;
  });
  return {
    ...status,
    intervals: [...intervals],
    observedTimes: { ...status.observedTimes, ...Object.fromEntries(times) },
  };
}

function applyObservation(
  intervals: readonly UsageInterval[],
  observation: UsageObservation,
  observedMs: number | undefined,
): readonly UsageInterval[] {
  const shown = new Map(observation.items.map((item) => [item.id, item]));
  const latest = new Map<string, UsageInterval>();
  for (const each of intervals) if (each.resource === observation.resource) latest.set(each.id, each);
  const next: UsageInterval[] = [];
  let isChanged = false;
  for (const each of intervals) {
    const isLatest = latest.get(each.id) === each;
    const item = shown.get(each.id);
    if (each.resource !== observation.resource || !isLatest) {
      next.push(each);
    } else if (item === undefined) {
      const kept = each.endTime === undefined ? endInterval(each, observation, observedMs) : each;
      isChanged ||= kept !== each;
      next.push(kept);
    } else if (isSameUsage(each, item)) {
      // A list read in several pages may miss an existing item.
      isChanged ||= each.endTime !== undefined;
      next.push(each.endTime === undefined ? each : reopenInterval(each));
    } else {
      const fromMs = each.endTime === undefined ? observation.atMs : Date.parse(each.endTime);
      isChanged = true;
      const unchangedMs = observation.unchangedMsOf?.(each.id) ?? observedMs;
      next.push(each.endTime === undefined ? endInterval(each, { atMs: observation.atMs }, unchangedMs) : each);
      next.push(newInterval(observation.resource, item, Math.max(fromMs, Date.parse(each.startTime))));
    }
  }
  for (const item of shown.values()) {
    if (latest.has(item.id)) continue;
    isChanged = true;
    next.push(newInterval(observation.resource, item, Math.max(item.sinceMs, observedMs ?? item.sinceMs)));
  }
  return isChanged ? next : intervals;
}

function newInterval(resource: UsageResource, { id, type, quantity = 1 }: ObservedItem, fromMs: number): UsageInterval {
  return { resource, id, type, ...(quantity !== 1 && { quantity }), startTime: formatTime(fromMs) };
}

function reopenInterval({ endTime: _end, uncertainSeconds: _uncertain, ...interval }: UsageInterval): UsageInterval {
  return interval;
}

/**
 * Ends the interval at the time when the item was first missing; the time for which it may already have been missing is
 * its uncertainty.
 */
function endInterval(
  interval: UsageInterval,
  { atMs, endOf }: Pick<UsageObservation, 'atMs' | 'endOf'>,
  observedMs: number | undefined,
): UsageInterval {
  const startMs = Date.parse(interval.startTime);
  const { fromMs, toMs } = endOf?.(interval.id) ?? { fromMs: observedMs ?? startMs, toMs: atMs };
  const endMs = Math.max(startMs, Math.floor(toMs / 1000) * 1000);
  const uncertainSeconds = Math.ceil((endMs - Math.min(endMs, Math.max(startMs, fromMs))) / 1000);
  return {
    ...interval,
    endTime: formatTime(endMs),
    ...(uncertainSeconds > 0 && { uncertainSeconds }),
  };
}

function isSameUsage(interval: UsageInterval, { type, quantity = 1 }: ObservedItem): boolean {
  return interval.type === type && (interval.quantity ?? 1) === quantity;
}

function timeOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}
