import { DEFAULT_AUDIT, DEFAULT_AUDIT_WEBHOOK } from '@fairway/service/audit/audit-settings';
import { type Command, Option } from 'commander';
import { durationBetween, wholeNumber } from '../command/options.ts';

/** Options of the audit log, if set; those of the webhook are named as in kube-apiserver. */
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

/** Adds options for what is audited and where events go. */
export function addAuditOptions(command: Command): Command {
  const webhook = DEFAULT_AUDIT_WEBHOOK;
  return command
    .option(
      '--audit-log-path <file>',
      'audit log file, "-" for standard output; default: audit.log in the home folder (docs/operators/audit.md)',
    )
    .addOption(
      new Option('--audit-log-maxsize <megabytes>', 'size in megabytes at which the audit log is rotated')
        .argParser(wholeNumber(1))
        .default(DEFAULT_AUDIT.maxSizeMB),
    )
    .addOption(
      new Option('--audit-log-maxbackup <count>', 'number of rotated audit logs to keep')
        .argParser(wholeNumber(1))
        .default(DEFAULT_AUDIT.maxBackups),
    )
    .option(
      '--audit-policy-file <file>',
      'YAML file with an audit.k8s.io/v1 Policy that defines what is audited and in how much detail; default: a built-in policy',
    )
    .option(
      '--audit-webhook-config-file <file>',
      'kubeconfig with the URL of a webhook that also receives audit events; default: no webhook',
    )
    .addOption(
      new Option('--audit-webhook-initial-backoff <duration>', 'time to wait before the first retry of sending events')
        .argParser(durationBetween('1s'))
        .default(webhook.initialBackoffMs, '10s'),
    )
    .addOption(
      new Option('--audit-webhook-batch-buffer-size <count>', 'maximum number of events that wait for the webhook')
        .argParser(wholeNumber(1))
        .default(webhook.bufferSize),
    )
    .addOption(
      new Option('--audit-webhook-batch-max-size <count>', 'maximum number of events per request')
        .argParser(wholeNumber(1))
        .default(webhook.maxBatchSize),
    )
    .addOption(
      new Option('--audit-webhook-batch-max-wait <duration>', 'maximum time that an event waits for a batch to fill')
        .argParser(durationBetween('1s'))
        .default(webhook.maxBatchWaitMs, '30s'),
    )
    .addOption(
      new Option('--audit-webhook-batch-throttle-qps <count>', 'maximum number of requests per second to the webhook')
        .argParser(wholeNumber(1))
        .default(webhook.throttleQps),
    )
    .addOption(
      new Option('--audit-webhook-batch-throttle-burst <count>', 'maximum number of requests to the webhook in a burst')
        .argParser(wholeNumber(1))
        .default(webhook.throttleBurst),
    );
}
