import { Cron } from 'croner';

/** The times at which something is due. */
export interface Schedule {
  /** The first time after `afterMs`; undefined when there is none. */
  next(afterMs: number): number | undefined;
}

export interface CronSchedule extends Schedule {
  /** The latest time that is not after `nowMs`; undefined when there is none. */
  last(nowMs: number): number | undefined;
  /** The same in what clocks show, as if they were UTC's: times that clocks skip keep their order there, though all are due when the clocks go on. */
  lastOnClocks(nowMs: number): number | undefined;
}

/**
 * Parses five fields (`30 20 * * 1-5`) or a macro (`@daily`), of the clocks in an IANA time zone. What falls into the hour that clocks skip in spring is due
 * when they go on; what falls into the hour that they repeat in autumn is due once, the first time. Throws an Error that says what is wrong.
 */
export function parseCron(text: string, timeZone: string): CronSchedule {
  const isMacro = text.startsWith('@');
  const cronIn = (timezone: string) => new Cron(text, { timezone, ...(!isMacro && { mode: '5-part' }), paused: true });
  const cron = cronIn(timeZone);
  return {
    next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime(),
    last: (nowMs) => lastOf(cron, nowMs),
    lastOnClocks: (nowMs) => lastOf(cronIn('Etc/UTC'), clocksAt(nowMs, timeZone)),
  };
}

function lastOf(cron: Cron, nowMs: number): number | undefined {
  // The reference itself does not count.
  return cron.previousRuns(1, new Date(nowMs + 1))[0]?.getTime();
}

function clocksAt(nowMs: number, timeZone: string): number {
  // Sweden writes dates as ISO does.
  return Date.parse(`${new Date(nowMs).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
}
