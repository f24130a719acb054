import { Cron } from 'croner';

/** Every six hours, as databases of clusters by default. */
export const DEFAULT_BACKUP_SCHEDULE = '0 */6 * * *';
export const DEFAULT_BACKUP_KEEP = 28;

/** The times at which a backup is due, in milliseconds since the Unix epoch. */
export interface BackupSchedule {
  /** The latest time that is not after `nowMs`. */
  lastDue(nowMs: number): number;
  /** The first time after `afterMs`. */
  nextDue(afterMs: number): number;
}

/** Parses five fields of cron, in UTC; undefined for `never`. Throws an Error that says what is wrong. */
export function parseBackupSchedule(text: string): BackupSchedule | undefined {
  if (text === 'never') return undefined;
  const cron = new Cron(text, { timezone: 'Etc/UTC', mode: '5-part', paused: true });
  if (cron.nextRun() === null) throw new Error(`${text} never comes`);
  return {
    // The reference itself does not count.
    lastDue: (nowMs) => cron.previousRuns(1, new Date(nowMs + 1))[0]?.getTime() ?? Number.NEGATIVE_INFINITY,
    nextDue: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}
