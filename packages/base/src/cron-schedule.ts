import { Cron } from 'croner';

/** The times defined by a schedule. */
export interface Schedule {
  /** The first time after `afterMs`; undefined if there is none. */
  next(afterMs: number): number | undefined;
}

export interface CronSchedule extends Schedule {
  /** The latest time that is not after `nowMs`; undefined if there is none. */
  last(nowMs: number): number | undefined;
  /**
   * Like `last`, but in local time, represented as if it were UTC: skipped local times stay in order that way, although
   * all are due when clocks go forward.
   */
  lastByWallClock(nowMs: number): number | undefined;
}

/**
 * Parses five fields (`30 20 * * 1-5`) or a macro (`@daily`) in the local time of an IANA time zone. Times in the hour
 * skipped in spring are due when clocks go forward; times in the hour repeated in autumn are due once, the first time.
 * Throws an Error that describes the problem.
 */
export function parseCron(text: string, timeZone: string): CronSchedule {
  const isMacro = text.startsWith('@');
  const cronIn = (timezone: string) => new Cron(text, { timezone, ...(!isMacro && { mode: '5-part' }), paused: true });
  const cron = cronIn(timeZone);
  return {
    next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime(),
    last: (nowMs) => lastOf(cron, nowMs),
    lastByWallClock: (nowMs) => lastOf(cronIn('Etc/UTC'), wallClockAt(nowMs, timeZone)),
  };
}

function lastOf(cron: Cron, nowMs: number): number | undefined {
  // `previousRuns` excludes the reference time.
  return cron.previousRuns(1, new Date(nowMs + 1))[0]?.getTime();
}

function wallClockAt(nowMs: number, timeZone: string): number {
  // The Swedish locale uses the ISO format.
  return Date.parse(`${new Date(nowMs).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
}
