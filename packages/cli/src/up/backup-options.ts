import { resolve } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import { DEFAULT_BACKUP_SCHEDULE, parseBackupSchedule } from '@fairway/service/backup/backup-schedule';
import type { BackupSettings } from '@fairway/service/backup/scheduled-backups';
import { usageError } from '@fairway/service/command-error';
import { openOffHost } from '../backup/open-off-host.ts';
import type { CliContext } from '../command/context.ts';

/** What is wrong with a requested schedule; undefined if nothing is. */
export function scheduleProblem(schedule: string | undefined, offHost: string | undefined): string | undefined {
  if (schedule === undefined || schedule === 'never' || offHost !== undefined) return undefined;
  return `backups are scheduled at "${schedule}", but there is no object store: set controlPlanes.offHostFile, or --off-host`;
}

/** Scheduled backups, enabled by default if there is an object store. Throws a CommandError. */
export function backupOptions(
  { cwd }: Pick<CliContext, 'cwd'>,
  options: { readonly backupSchedule?: string; readonly backupKeep: number; readonly offHost?: string },
): BackupSettings | undefined {
  const { backupSchedule, backupKeep: keep, offHost } = options;
  const problem = scheduleProblem(backupSchedule, offHost);
  if (problem !== undefined) throw usageError(`backup.schedule: ${problem}`);
  const schedule = parseBackupSchedule(backupSchedule ?? DEFAULT_BACKUP_SCHEDULE);
  if (schedule === undefined || offHost === undefined) return undefined;
  const path = resolve(cwd, offHost);
  return { schedule, keep, offHost: (clock: Clock) => openOffHost(path, clock) };
}
