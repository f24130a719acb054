import { parseBackupSchedule } from '@fairway/service/backup/backup-schedule';
import { InvalidArgumentError } from 'commander';

/** Returns a valid schedule as written; otherwise throws an error for commander. */
export function checkedSchedule(text: string): string {
  try {
    parseBackupSchedule(text);
  } catch {
    throw new InvalidArgumentError('Must be a cron expression with five fields, such as "0 3 * * *", or never.');
  }
  return text;
}
