import { parseBackupSchedule } from '@fairway/service/backup/backup-schedule';
import { InvalidArgumentError } from 'commander';

/** The schedule as it was written, if it is one. Throws what commander says of an option. */
export function checkedSchedule(text: string): string {
  try {
    parseBackupSchedule(text);
  } catch {
    throw new InvalidArgumentError('Must be a cron expression with five fields, such as "0 3 * * *", or never.');
  }
  return text;
}
