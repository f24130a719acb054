import { type CronSchedule, parseCron } from '@fairway/base/cron-schedule';

/** Longer than any real schedule. */
export const MAX_CRON_LENGTH = 100;
/** Scheduled work such as hibernating, waking or creating nodes takes minutes. */
const SHORTEST_PERIOD_MS = 3_600_000;
/** Number of times to check; a schedule that is too frequent shows within a day. */
const TIMES = 25;
/** Any start time works: a schedule has no year. */
const FROM_MS = Date.UTC(2026, 0, 1);

/** Why the schedule is not valid for clusters and pools; undefined if it is. Time zones make no difference. */
export function cronProblem(text: string): string | undefined {
  let schedule: CronSchedule;
  try {
    schedule = parseCron(text, 'Etc/UTC');
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return `is not a cron expression with five fields (minute hour day month weekday) such as "0 20 * * 1-5": ${why}`;
  }
  let afterMs = schedule.next(FROM_MS);
  if (afterMs === undefined) return 'never matches: no year has such a day; change the day or the month';
  for (let looked = 1; looked < TIMES; looked += 1) {
    const nextMs = schedule.next(afterMs);
    if (nextMs === undefined) return undefined;
    if (nextMs - afterMs < SHORTEST_PERIOD_MS) {
      return `matches again after ${Math.round((nextMs - afterMs) / 60_000)} min: leave at least an hour between two times, such as "0 20 * * *"`;
    }
    afterMs = nextMs;
  }
  return undefined;
}
