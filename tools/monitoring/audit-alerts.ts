import type { Alert } from './alert.ts';

/** Alerts for the audit log and its webhook. */
export const AUDIT_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayAuditEventsLost',
    expr: 'increase(fairway_audit_events_lost_total[10m]) > 0',
    for: '0m',
    severity: 'critical',
    summary: 'The audit log has gaps.',
    description:
      '{{ $value | humanize }} events are missing from the audit log of {{ $labels.instance }}: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayAuditWriteErrors',
    expr: 'increase(fairway_audit_write_errors_total[5m]) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'The audit log cannot be written.',
    description: 'Writes to the audit log of {{ $labels.instance }} fail; they are retried until the buffer is full.',
  },
  {
    name: 'FairwayAuditWebhookEventsLost',
    expr: 'increase(fairway_audit_webhook_events_lost_total[10m]) > 0',
    for: '0m',
    severity: 'critical',
    summary: 'The audit webhook missed events.',
    description:
      '{{ $value | humanize }} events of {{ $labels.instance }} did not reach the audit webhook: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayAuditWebhookFails',
    expr: 'increase(fairway_audit_webhook_errors_total[5m]) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'The audit webhook rejects events.',
    description:
      'Requests of {{ $labels.instance }} to the audit webhook fail; they are retried until the buffer is full.',
  },
];
