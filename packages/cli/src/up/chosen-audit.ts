import { resolve } from 'node:path';
import type { AuditSettings } from '@fairway/service/audit/audit-settings';
import type { CliContext } from '../command/context.ts';
import type { FairwayCommandOptions } from '../commands/fairway-options.ts';

/** The audit log's settings from the command line. */
export function chosenAudit({ cwd }: Pick<CliContext, 'cwd'>, options: FairwayCommandOptions): Partial<AuditSettings> {
  const { auditLogPath: path, auditLogMaxsize: maxSizeMB, auditLogMaxbackup: maxBackups } = options;
  return {
    maxSizeMB,
    maxBackups,
    ...(path !== undefined && { path: path === '-' ? path : resolve(cwd, path) }),
  };
}
