import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiServerAudit } from '@fairway/api/kinds/cluster-audit';
import { AuditLog, type AuditObserver } from '@fairway/apiserver/audit/audit-log';
import { Auditor } from '@fairway/apiserver/audit/auditor';
import { parsePolicyFile } from '@fairway/apiserver/audit/policy-file';
import { auditPolicyOf } from '@fairway/apiserver/audit/policy-rules';
import { RotatingFile } from '@fairway/apiserver/audit/rotating-file';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { TENANT_AUDIT_FILE, TENANT_AUDIT_MAX_BACKUPS, TENANT_AUDIT_MAX_SIZE_MB } from './tenant-audit-log.ts';
import { tenantAuditPolicy } from './tenant-audit-policy.ts';

export interface TenantAuditorOptions {
  readonly audit: ApiServerAudit;
  /** The log directory; created if missing. */
  readonly folder: string;
  readonly observer: AuditObserver;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface TenantAuditor {
  readonly auditor: Auditor;
  /** Flushes buffered events. Takes at most 5 s. */
  close(): Promise<void>;
}

/** Limit on buffered bytes while the disk accepts no writes: one process serves many clusters. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/**
 * Logs requests to a simulated API server as kube-apiserver does, with the same policy and file names. Rejects if the
 * directory cannot be created.
 */
export async function openTenantAuditor(options: TenantAuditorOptions): Promise<TenantAuditor> {
  const { audit, folder, observer, clock, log } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const writer = new RotatingFile({
    path: join(folder, TENANT_AUDIT_FILE),
    maxBytes: TENANT_AUDIT_MAX_SIZE_MB * 1024 * 1024,
    maxBackups: TENANT_AUDIT_MAX_BACKUPS,
    clock,
  });
  const sink = new AuditLog({ writer, observer, maxBufferedBytes: MAX_BUFFERED_BYTES, clock, log });
  // JSON is YAML.
  const policy = auditPolicyOf(parsePolicyFile(JSON.stringify(tenantAuditPolicy(audit))));
  const auditor = new Auditor({ sink, policy, auditsMandatoryEvents: false, clock, log });
  return { auditor, close: () => sink.close() };
}
