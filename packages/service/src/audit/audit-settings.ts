import { type AuditWebhookTiming, DEFAULT_WEBHOOK_TIMING } from '@fairway/apiserver/audit/audit-webhook';
import type { AuditPolicy } from '@fairway/apiserver/audit/policy-rules';
import type { HttpsTransportOptions } from '@fairway/kube/client/https-transport';

/** What the audit log contains and where it is written; the fields match kube-apiserver's options. */
export interface AuditSettings {
  /** `-` for standard output. */
  readonly path: string;
  /** Maximum size of a file, in megabytes. */
  readonly maxSizeMB: number;
  /** Number of rotated files to keep. */
  readonly maxBackups: number;
  /** Directory for the events that tenants may read in their namespaces. */
  readonly eventsFolder: string;
  /** Defaults to the built-in policy. */
  readonly policy?: AuditPolicy | undefined;
  /** A receiver that the events are also sent to; none by default. */
  readonly webhook?: AuditWebhookSettings | undefined;
}

export interface AuditWebhookSettings extends AuditWebhookTiming {
  /** The receiver's URL and credentials. */
  readonly connection: HttpsTransportOptions;
}

export const DEFAULT_AUDIT = { maxSizeMB: 100, maxBackups: 10 } as const;
export const DEFAULT_AUDIT_WEBHOOK = DEFAULT_WEBHOOK_TIMING;
