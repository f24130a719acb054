import { DEFAULT_AUDIT, DEFAULT_AUDIT_WEBHOOK } from '@fairway/service/audit/audit-settings';
import { type Command, Option } from 'commander';
import { durationFrom, wholeNumber } from '../command/options.ts';

/** Options of the audit log, as far as they are set; those of the webhook have kube-apiserver's names. */
export interface AuditOptions {
  readonly auditLogPath?: string;
  readonly auditLogMaxsize: number;
  readonly auditLogMaxbackup: number;
  readonly auditPolicyFile?: string;
  readonly auditWebhookConfigFile?: string;
  /** Milliseconds. */
  readonly auditWebhookInitialBackoff: number;
  readonly auditWebhookBatchBufferSize: number;
  readonly auditWebhookBatchMaxSize: number;
  /** Milliseconds. */
  readonly auditWebhookBatchMaxWait: number;
  readonly auditWebhookBatchThrottleQps: number;
  readonly auditWebhookBatchThrottleBurst: number;
}

/** Adds the options of what is audited, and of where the events go. */
export function addAuditOptions(command: Command): Command {
  const webhook = DEFAULT_AUDIT_WEBHOOK;
  return command
    .option(
      '--audit-log-path <file>',
      'file of the audit log, "-" for standard output; default: audit.log in the home (docs/operators/audit.md)',
    )
    .addOption(
      new Option('--audit-log-maxsize <megabytes>', 'size at which the audit log is rotated')
        .argParser(wholeNumber(1))
        .default(DEFAULT_AUDIT.maxSizeMB),
    )
    .addOption(
      new Option('--audit-log-maxbackup <count>', 'how many rotated audit logs are kept')
        .argParser(wholeNumber(1))
        .default(DEFAULT_AUDIT.maxBackups),
    )
    .option(
      '--audit-policy-file <file>',
      'YAML with a Policy of audit.k8s.io/v1, which says what is audited in how much detail; default: a built-in policy',
    )
    .option(
      '--audit-webhook-config-file <file>',
      'kubeconfig with the URL that audit events are sent to as well; default: nowhere',
    )
    .addOption(
      new Option('--audit-webhook-initial-backoff <duration>', 'wait before the second attempt to send events')
        .argParser(durationFrom('1s'))
        .default(webhook.initialBackoffMs, '10s'),
    )
    .addOption(
      new Option('--audit-webhook-batch-buffer-size <count>', 'how many events wait for the webhook at most')
        .argParser(wholeNumber(1))
        .default(webhook.bufferSize),
    )
    .addOption(
      new Option('--audit-webhook-batch-max-size <count>', 'how many events are sent at once at most')
        .argParser(wholeNumber(1))
        .default(webhook.maxBatchSize),
    )
    .addOption(
      new Option('--audit-webhook-batch-max-wait <duration>', 'how long an event waits for others to be sent with')
        .argParser(durationFrom('1s'))
        .default(webhook.maxBatchWaitMs, '30s'),
    )
    .addOption(
      new Option('--audit-webhook-batch-throttle-qps <count>', 'requests to the webhook in a second')
        .argParser(wholeNumber(1))
        .default(webhook.throttleQps),
    )
    .addOption(
      new Option('--audit-webhook-batch-throttle-burst <count>', 'requests to the webhook at once, after a pause')
        .argParser(wholeNumber(1))
        .default(webhook.throttleBurst),
    );
}
