import { Cron } from 'croner';

/** The times at which something is due. */
export interface Schedule {
  /** The first time after `afterMs`; undefined when there is none. */
  next(afterMs: number): number | undefined;
}

export interface CronSchedule extends Schedule {
  /** The latest time that is not after `nowMs`; undefined when there is none. */
  last(nowMs: number): number | undefined;
}

/**
 * Parses five fields (`30 20 * * 1-5`) or a macro (`@daily`), of the clocks in an IANA time zone. What falls into the hour that clocks skip in spring is due
 * when they go on; what falls into the hour that they repeat in autumn is due once, the first time. Throws an Error that says what is wrong.
 */
export function parseCron(text: string, timeZone: string): CronSchedule {
  const isMacro = text.startsWith('@');
  const cron = new Cron(text, { timezone: timeZone, ...(!isMacro && { mode: '5-part' }), paused: true });
  return {
    next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime(),
    // The reference itself does not count.
    last: (nowMs) => cron.previousRuns(1, new Date(nowMs + 1))[0]?.getTime(),
  };
}
