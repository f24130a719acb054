import { type CronSchedule, parseCron } from '@fairway/base/cron-schedule';

/** Longer than any realistic schedule. */
export const MAX_CRON_LENGTH = 100;
/** Scheduled work, such as hibernating, waking or creating nodes, takes minutes. */
const MIN_PERIOD_MS = 3_600_000;
/** Number of occurrences to check; a schedule that is too frequent is detected within a day. */
const MAX_OCCURRENCES = 25;
/** Any start time works: schedules have no years. */
const START_MS = Date.UTC(2026, 0, 1);

/**
 * Why the schedule is invalid for clusters and pools; undefined if it is valid. The result does not depend on the time
 * zone.
 */
export function cronProblem(text: string): string | undefined {
  let schedule: CronSchedule;
  try {
    schedule = parseCron(text, 'Etc/UTC');
  } catch (error) {
    const cause = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return `is not a cron expression with five fields (minute hour day month weekday) such as "0 20 * * 1-5": ${cause}`;
  }
  let currentMs = schedule.next(START_MS);
  if (currentMs === undefined) return 'never matches: no year has such a day; change the day or the month';
  for (let checked = 1; checked < MAX_OCCURRENCES; checked += 1) {
    const nextMs = schedule.next(currentMs);
    if (nextMs === undefined) return undefined;
    if (nextMs - currentMs < MIN_PERIOD_MS) {
      return `matches again after ${Math.round((nextMs - currentMs) / 60_000)} min: leave at least an hour between two times, such as "0 20 * * *"`;
    }
    currentMs = nextMs;
  }
  return undefined;
}
