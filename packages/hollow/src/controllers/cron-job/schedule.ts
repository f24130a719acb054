import { parseCron, type Schedule } from '@fairway/base/cron-schedule';

const INTERVAL = /^@every (?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
/** With more missed times than this between two syncs, a warning replaces the count of missed runs. */
const MAX_MISSED = 100;

/**
 * Parses a schedule like robfig/cron: five fields or a macro, in the given time zone or in UTC by default. Throws an
 * Error that describes the problem.
 */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule {
  const interval = INTERVAL.exec(text);
  if (interval) {
    const [, hours = 0, minutes = 0, seconds = 0] = interval;
    const stepMs = Math.max(1, Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + stepMs };
  }
  return parseCron(text, timeZone ?? 'Etc/UTC');
}

export interface MissedRuns {
  /** The latest time that was due; undefined if none was. */
  readonly latestMs: number | undefined;
  readonly isTooMany: boolean;
}

/** The latest time due in `(fromMs, nowMs]`. */
export function latestDue(schedule: Schedule, fromMs: number, nowMs: number): MissedRuns {
  let latestMs: number | undefined;
  let count = 0;
  for (let due = schedule.next(fromMs); due !== undefined && due <= nowMs; due = schedule.next(due)) {
    latestMs = due;
    // After long downtime only the last missed time matters.
    if (++count === MAX_MISSED) return { latestMs: latestOfMany(schedule, due, nowMs), isTooMany: true };
  }
  return { latestMs, isTooMany: false };
}

/** Looks back from now in growing steps until a time is found, then steps forward to the last one. */
function latestOfMany(schedule: Schedule, knownMs: number, nowMs: number): number {
  for (let backMs = 60_000; nowMs - backMs > knownMs; backMs *= 4) {
    let due = schedule.next(nowMs - backMs);
    if (due === undefined || due > nowMs) continue;
    for (let next = schedule.next(due); next !== undefined && next <= nowMs; next = schedule.next(due)) due = next;
    return due;
  }
  return knownMs;
}
