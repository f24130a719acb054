import { parseCron } from '@fairway/base/cron-schedule';
import { DAYS, type MaintenanceWindow } from '../kinds/cluster-maintenance.ts';
import { durationMs } from './duration.ts';

/** From `startMs` (inclusive) to `endMs` (exclusive). */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Cached windows, each with the time from which it is valid, because a rollout needs all clusters' windows at each
 * step.
 */
const known = new WeakMap<MaintenanceWindow, Interval & { readonly fromMs: number }>();

/** The open window or the next one. Throws for a window that the schema would reject. */
export function nextWindow(window: MaintenanceWindow, nowMs: number): Interval {
  const last = known.get(window);
  if (last && last.fromMs <= nowMs && nowMs < last.endMs) return last;
  const lengthMs = durationMs(window.duration);
  // The first window that has not ended yet is enough, since windows never overlap.
  const startMs = parseCron(cronOf(window), window.timeZone).next(nowMs - lengthMs);
  if (startMs === undefined)
    throw new Error(`no day has a window that starts at ${window.start} in ${window.timeZone}`);
  const next = { startMs, endMs: startMs + lengthMs };
  known.set(window, { ...next, fromMs: nowMs });
  return next;
}

export function isInWindow(window: MaintenanceWindow, nowMs: number): boolean {
  return nextWindow(window, nowMs).startMs <= nowMs;
}

function cronOf({ start, days = [] }: MaintenanceWindow): string {
  const [hour = '', minute = ''] = start.split(':');
  const numbers = days.map((day) => DAYS.indexOf(day));
  return `${Number(minute)} ${Number(hour)} * * ${numbers.length === 0 ? '*' : numbers.join(',')}`;
}
