import { formatTime } from '@fairway/base/clock';
import type { UsageInterval, UsageRecordStatus, UsageResource } from '../../kinds/usage-record.ts';

/** Something that is there now. */
export interface Sighting {
  readonly id: string;
  readonly type: string;
  /** GiB; 1 by default. */
  readonly quantity?: number;
  /** When it began, as the cloud or the API tells. */
  readonly sinceMs: number;
}

/** When something went, as somebody saw it: it was still there at `fromMs`, and no longer at `toMs`. */
export interface Departure {
  readonly fromMs: number;
  readonly toMs: number;
}

/** All of a resource that a look showed. */
export interface Look {
  readonly resource: UsageResource;
  /** When the look began. */
  readonly atMs: number;
  readonly items: readonly Sighting[];
  /** What is known of the end of something that is not among the items. */
  readonly departureOf?: (id: string) => Departure | undefined;
  /** When something of another type or size was last seen as it was, where that is known. */
  readonly unchangedMsOf?: (id: string) => number | undefined;
}

/**
 * The status after looks at some resources; the same object if they show nothing new. What no look is about stays as it is. Pure.
 *
 * **Guarantees.** For one id no two intervals overlap, whatever the order of looks and however often one is repeated: a look that began before the last
 * one that counts is ignored, and nothing begins before that one or before the end of what the id had.
 */
export function followUsage(status: UsageRecordStatus, looks: readonly Look[]): UsageRecordStatus {
  const before = status.intervals ?? [];
  let intervals: readonly UsageInterval[] = before;
  for (const look of looks) {
    const lookedMs = timeOf(status.observedTimes?.[look.resource]);
    if (look.atMs < (lookedMs ?? Number.NEGATIVE_INFINITY)) continue;
    intervals = followOne(intervals, look, lookedMs);
  }
  if (intervals === before) return status;
  const times = looks.map(({ resource, atMs }) => {
    const lastMs = timeOf(status.observedTimes?.[resource]) ?? atMs;
    return [resource, formatTime(Math.max(lastMs, atMs))] as const;
  });
  return {
    ...status,
    intervals: [...intervals],
    observedTimes: { ...status.observedTimes, ...Object.fromEntries(times) },
  };
}

function followOne(
  intervals: readonly UsageInterval[],
  look: Look,
  lookedMs: number | undefined,
): readonly UsageInterval[] {
  const shown = new Map(look.items.map((item) => [item.id, item]));
  const latest = new Map<string, UsageInterval>();
  for (const each of intervals) if (each.resource === look.resource) latest.set(each.id, each);
  const next: UsageInterval[] = [];
  let isChanged = false;
  for (const each of intervals) {
    const isLatest = latest.get(each.id) === each;
    const item = shown.get(each.id);
    if (each.resource !== look.resource || !isLatest) {
      next.push(each);
    } else if (item === undefined) {
      const kept = each.endTime === undefined ? ended(each, look, lookedMs) : each;
      isChanged ||= kept !== each;
      next.push(kept);
    } else if (isAlike(each, item)) {
      // A list of several pages may miss an item, which is there all the same.
      isChanged ||= each.endTime !== undefined;
      next.push(each.endTime === undefined ? each : running(each));
    } else {
      const fromMs = each.endTime === undefined ? look.atMs : Date.parse(each.endTime);
      isChanged = true;
      const unchangedMs = look.unchangedMsOf?.(each.id) ?? lookedMs;
      next.push(each.endTime === undefined ? ended(each, { atMs: look.atMs }, unchangedMs) : each);
      next.push(begun(look.resource, item, Math.max(fromMs, Date.parse(each.startTime))));
    }
  }
  for (const item of shown.values()) {
    if (latest.has(item.id)) continue;
    isChanged = true;
    next.push(begun(look.resource, item, Math.max(item.sinceMs, lookedMs ?? item.sinceMs)));
  }
  return isChanged ? next : intervals;
}

function begun(resource: UsageResource, { id, type, quantity = 1 }: Sighting, fromMs: number): UsageInterval {
  return { resource, id, type, ...(quantity !== 1 && { quantity }), startTime: formatTime(fromMs) };
}

function running({ endTime: _end, uncertainSeconds: _uncertain, ...interval }: UsageInterval): UsageInterval {
  return interval;
}

/** With the time at which it was first seen missing, and since when it may have been. */
function ended(
  interval: UsageInterval,
  { atMs, departureOf }: Pick<Look, 'atMs' | 'departureOf'>,
  lookedMs: number | undefined,
): UsageInterval {
  const startMs = Date.parse(interval.startTime);
  const { fromMs, toMs } = departureOf?.(interval.id) ?? { fromMs: lookedMs ?? startMs, toMs: atMs };
  const endMs = Math.max(startMs, Math.floor(toMs / 1000) * 1000);
  const uncertainSeconds = Math.ceil((endMs - Math.min(endMs, Math.max(startMs, fromMs))) / 1000);
  return {
    ...interval,
    endTime: formatTime(endMs),
    ...(uncertainSeconds > 0 && { uncertainSeconds }),
  };
}

function isAlike(interval: UsageInterval, { type, quantity = 1 }: Sighting): boolean {
  return interval.type === type && (interval.quantity ?? 1) === quantity;
}

function timeOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}
