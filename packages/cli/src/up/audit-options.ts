import { resolve } from 'node:path';
import { readAuditPolicy } from '@fairway/service/audit/audit-policy';
import type { AuditSettings } from '@fairway/service/audit/audit-settings';
import { auditWebhookConnection } from '@fairway/service/audit/open-audit-webhook';
import type { CliContext } from '../command/context.ts';
import type { AuditOptions } from '../commands/audit-options.ts';

/**
 * Reads the settings of the audit log from the command line. Rejects with a CommandError for a file that can't be used.
 */
export async function auditOptions(
  { cwd }: Pick<CliContext, 'cwd'>,
  options: AuditOptions,
): Promise<Partial<AuditSettings>> {
  const { auditLogPath: path, auditLogMaxsize: maxSizeMB, auditLogMaxbackup: maxBackups } = options;
  const { auditPolicyFile: policyFile, auditWebhookConfigFile: configFile } = options;
  return {
    maxSizeMB,
    maxBackups,
    ...(path !== undefined && { path: path === '-' ? path : resolve(cwd, path) }),
    ...(policyFile !== undefined && { policy: readAuditPolicy(resolve(cwd, policyFile)) }),
    ...(configFile !== undefined && {
      webhook: {
        connection: await auditWebhookConnection(resolve(cwd, configFile)),
        initialBackoffMs: options.auditWebhookInitialBackoff,
        bufferSize: options.auditWebhookBatchBufferSize,
        maxBatchSize: options.auditWebhookBatchMaxSize,
        maxBatchWaitMs: options.auditWebhookBatchMaxWait,
        throttleQps: options.auditWebhookBatchThrottleQps,
        throttleBurst: options.auditWebhookBatchThrottleBurst,
      },
    }),
  };
}
