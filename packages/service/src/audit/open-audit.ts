import { AuditLog, type LineWriter } from '@fairway/apiserver/audit/audit-log';
import { Auditor } from '@fairway/apiserver/audit/auditor';
import { RotatingFile } from '@fairway/apiserver/audit/rotating-file';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { asksForKubeconfig } from '@fairway/gateway/requests/answered-here';
import type { Registry } from 'prom-client';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';
import { AuditMetrics } from './audit-metrics.ts';
import type { AuditSettings } from './audit-settings.ts';
import { standardOutput } from './standard-output.ts';

export interface OpenAudit {
  readonly auditor: Auditor;
  /** Flushes buffered events. */
  close(): Promise<void>;
}

const BYTES_PER_MB = 1024 * 1024;
/** A full disk may recover; any other error at start is a misconfigured path. */
const FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** Opens Fairway's audit log. Rejects with a CommandError if its file can't be written. */
export async function openAudit(
  { path, maxSizeMB, maxBackups }: AuditSettings,
  { registry, clock, log }: { readonly registry: Registry; readonly clock: Clock; readonly log: Logger },
): Promise<OpenAudit> {
  const file = new RotatingFile({ path, maxBytes: maxSizeMB * BYTES_PER_MB, maxBackups, clock });
  const writer: LineWriter = path === '-' ? standardOutput : file;
  if (writer === file) {
    await file.open().catch((error: NodeJS.ErrnoException) => {
      if (FULL.has(error.code)) return;
      throw new CommandError(`the audit log can't be written: ${error.message}`, {
        exitCode: ExitCode.Usage,
        advice: 'choose another file with --audit-log-path',
        cause: error,
      });
    });
  }
  const sink = new AuditLog({ writer, observer: new AuditMetrics(registry), clock, log });
  const auditor = new Auditor({ sink, isSensitive: asksForKubeconfig, clock, log });
  return { auditor, close: () => sink.close() };
}
