import { AuditLog, type LineWriter } from '@fairway/apiserver/audit/audit-log';
import { Auditor, type AuditSink } from '@fairway/apiserver/audit/auditor';
import { NamespaceArchive } from '@fairway/apiserver/audit/namespace-archive';
import { RotatingFile } from '@fairway/apiserver/audit/rotating-file';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { isRead, requestsCredentials } from '@fairway/gateway/requests/gateway-subresources';
import type { Registry } from 'prom-client';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';
import { ArchiveMetrics } from './archive-metrics.ts';
import { AuditMetrics } from './audit-metrics.ts';
import type { AuditSettings } from './audit-settings.ts';
import { openAuditWebhook } from './open-audit-webhook.ts';
import { standardOutput } from './standard-output.ts';

export interface OpenAudit {
  readonly auditor: Auditor;
  /** Events that tenants may read in their namespaces. */
  readonly events: NamespaceArchive;
  /** Flushes buffered events. */
  close(): Promise<void>;
}

const BYTES_PER_MB = 1024 * 1024;
/** A full disk may recover; any other error at startup means a misconfigured path. */
const UNFILTERED_POLICY: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

interface AuditContext {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Opens Fairway's audit log. Rejects with a CommandError if its file can't be written. */
export async function openAudit(settings: AuditSettings, context: AuditContext): Promise<OpenAudit> {
  const { clock, log } = context;
  const file = await openLog(settings, context);
  const webhook = settings.webhook && openAuditWebhook(settings.webhook, context);
  const observer = new ArchiveMetrics(context.registry);
  const events = new NamespaceArchive({ folder: settings.eventsFolder, observer, clock, log });
  const sinks = [file, events, ...(webhook === undefined ? [] : [webhook])];
  const sink = combineSinks(sinks);
  const { policy } = settings;
  const classifiers = { isSensitive: requestsCredentials, isQuery: isRead };
  const auditor = new Auditor({ sink, policy, ...classifiers, clock, log });
  const close = async () => {
    await Promise.all(sinks.map((each) => each.close()));
  };
  return { auditor, events, close };
}

async function openLog(
  { path, maxSizeMB, maxBackups }: AuditSettings,
  { registry, clock, log }: AuditContext,
): Promise<AuditLog> {
  const file = new RotatingFile({ path, maxBytes: maxSizeMB * BYTES_PER_MB, maxBackups, clock });
  const writer: LineWriter = path === '-' ? standardOutput : file;
  if (writer === file) {
    await file.open().catch((error: NodeJS.ErrnoException) => {
      if (UNFILTERED_POLICY.has(error.code)) return;
      throw new CommandError(`cannot write the audit log: ${error.message}`, {
        exitCode: ExitCode.Usage,
        advice: 'specify another file with --audit-log-path',
        cause: error,
      });
    });
  }
  return new AuditLog({ writer, observer: new AuditMetrics(registry), clock, log });
}

function combineSinks(sinks: readonly AuditSink[]): AuditSink {
  return {
    record(line, event) {
      for (const sink of sinks) sink.record(line, event);
    },
    recordSuppressed() {
      for (const sink of sinks) sink.recordSuppressed();
    },
  };
}
