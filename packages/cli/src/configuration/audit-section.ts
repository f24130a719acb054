import { DEFAULT_AUDIT, DEFAULT_AUDIT_WEBHOOK } from '@fairway/service/audit/audit-settings';
import { z } from 'zod';
import { duration, setting, text, wholeNumber } from './setting.ts';

const SECOND_MS = 1_000;
const POSITIVE_INTEGER = 'a whole number of at least 1';
const MIN_ONE_SECOND = 'a duration of at least 1s, such as 90s or 10m';

/** What is audited, and where events go. */
export const AuditSection = z.strictObject({
  path: setting(text(), {
    description: 'file of the [audit log](audit.md), or `-` for standard output',
    allowed: 'a file, or -',
    defaultText: '`audit.log` in the home folder',
    option: 'auditLogPath',
    path: 'new',
  }),
  maxSizeMB: setting(wholeNumber(1), {
    description: 'size in megabytes at which the audit log is rotated',
    allowed: POSITIVE_INTEGER,
    default: DEFAULT_AUDIT.maxSizeMB,
    option: 'auditLogMaxsize',
  }),
  maxBackups: setting(wholeNumber(1), {
    description: 'number of rotated audit logs to keep',
    allowed: POSITIVE_INTEGER,
    default: DEFAULT_AUDIT.maxBackups,
    option: 'auditLogMaxbackup',
  }),
  policyFile: setting(text(), {
    description:
      'YAML file with an `audit.k8s.io/v1` Policy that defines [what is audited and in how much detail](audit.md#a-policy-of-your-own)',
    allowed: 'a file',
    defaultText: 'a built-in policy',
    option: 'auditPolicyFile',
    path: 'file',
  }),
  webhook: z
    .strictObject({
      configFile: setting(text(), {
        description: 'kubeconfig with the URL of a [webhook](audit.md#to-a-webhook) that also receives events',
        allowed: 'a file',
        defaultText: 'no webhook',
        option: 'auditWebhookConfigFile',
        path: 'file',
      }),
      initialBackoff: setting(duration(SECOND_MS), {
        description:
          'time to wait before the first retry of sending events; it doubles with each retry, up to a minute',
        allowed: MIN_ONE_SECOND,
        default: '10s',
        option: 'auditWebhookInitialBackoff',
      }),
      batchBufferSize: setting(wholeNumber(1), {
        description: 'maximum number of events that wait for the webhook',
        allowed: POSITIVE_INTEGER,
        default: DEFAULT_AUDIT_WEBHOOK.bufferSize,
        option: 'auditWebhookBatchBufferSize',
      }),
      batchMaxSize: setting(wholeNumber(1), {
        description: 'maximum number of events per request',
        allowed: POSITIVE_INTEGER,
        default: DEFAULT_AUDIT_WEBHOOK.maxBatchSize,
        option: 'auditWebhookBatchMaxSize',
      }),
      batchMaxWait: setting(duration(SECOND_MS), {
        description: 'maximum time that an event waits for a batch to fill',
        allowed: MIN_ONE_SECOND,
        default: '30s',
        option: 'auditWebhookBatchMaxWait',
      }),
      batchThrottleQPS: setting(wholeNumber(1), {
        description: 'maximum number of requests per second',
        allowed: POSITIVE_INTEGER,
        default: DEFAULT_AUDIT_WEBHOOK.throttleQps,
        option: 'auditWebhookBatchThrottleQps',
      }),
      batchThrottleBurst: setting(wholeNumber(1), {
        description: 'maximum number of requests in a burst',
        allowed: POSITIVE_INTEGER,
        default: DEFAULT_AUDIT_WEBHOOK.throttleBurst,
        option: 'auditWebhookBatchThrottleBurst',
      }),
    })
    .optional(),
});
