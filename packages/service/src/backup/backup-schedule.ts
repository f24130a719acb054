import { parseCron } from '@fairway/base/cron-schedule';

/** Every six hours, the same default as for snapshots of cluster databases. */
export const DEFAULT_BACKUP_SCHEDULE = '0 */6 * * *';
export const DEFAULT_BACKUP_KEEP = 28;

/** The times at which a backup is due, in milliseconds since the Unix epoch. */
export interface BackupSchedule {
  /** The latest time at or before `nowMs`. */
  lastDue(nowMs: number): number;
  /** The first time after `afterMs`. */
  nextDue(afterMs: number): number;
}

/** Parses a five-field cron expression, in UTC; undefined for `never`. Throws an Error that describes the problem. */
export function parseBackupSchedule(text: string): BackupSchedule | undefined {
  if (text === 'never') return undefined;
  const schedule = parseCron(text, 'Etc/UTC');
  if (schedule.next(0) === undefined) throw new Error(`${text} never comes`);
  return {
    lastDue: (nowMs) => schedule.last(nowMs) ?? Number.NEGATIVE_INFINITY,
    nextDue: (afterMs) => schedule.next(afterMs) ?? Number.POSITIVE_INFINITY,
  };
}
