import type { Alert } from './alert.ts';

/** Of OpenStack, credentials, and what operators offer. */
export const CLOUD_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayOpenStackErrors',
    expr: 'sum by (cloud, service) (rate(fairway_openstack_requests_total{code=~"5xx|timeout|network"}[5m])) / sum by (cloud, service) (rate(fairway_openstack_requests_total[5m])) > 0.2',
    for: '10m',
    severity: 'critical',
    summary: 'An OpenStack service fails.',
    description:
      '{{ $value | humanizePercentage }} of the calls to {{ $labels.service }} of cloud {{ $labels.cloud }} fail.',
  },
  {
    name: 'FairwayOpenStackSlow',
    expr: 'histogram_quantile(0.95, sum by (cloud, service, le) (rate(fairway_openstack_request_duration_seconds_bucket[10m]))) > 10',
    for: '15m',
    severity: 'warning',
    summary: 'An OpenStack service is slow.',
    description:
      'Calls to {{ $labels.service }} of cloud {{ $labels.cloud }} take {{ $value | humanizeDuration }} (p95).',
  },
  {
    name: 'FairwayOpenStackBudgetExhausted',
    expr: 'min_over_time(fairway_openstack_budget_waiting[5m]) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Calls to a cloud wait for Fairway’s own rate limit.',
    description:
      'Calls to cloud {{ $labels.cloud }} have queued for 15 minutes because Fairway’s budget for it is used up.',
  },
  {
    name: 'FairwayCloudViewStale',
    expr: 'max by (cloud, resource) (fairway_openstack_cache_age_seconds) > 900',
    for: '5m',
    severity: 'warning',
    summary: 'Fairway’s view of a cloud is old.',
    description:
      'A list of {{ $labels.resource }} of cloud {{ $labels.cloud }} is {{ $value | humanizeDuration }} old.',
  },
  {
    name: 'FairwayCredentialsRefused',
    expr: 'sum by (reason) (fairway_objects_not_ready{kind="CloudCredential"}) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Keystone refuses credentials of tenants.',
    description: '{{ $value }} CloudCredentials are not Ready: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayCloudLacksRoom',
    expr: 'sum by (kind, reason) (fairway_objects_not_ready{reason=~"QuotaExceeded|FlavorOutOfStock|AddressesExhausted"}) > 0',
    for: '30m',
    severity: 'warning',
    summary: 'Clusters wait for room in the cloud.',
    description: '{{ $value }} objects of kind {{ $labels.kind }} wait: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayOfferUnsound',
    expr: 'sum by (kind, reason) (fairway_objects_not_ready{kind=~"Plan|KubernetesRelease"}) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'A plan or release is not sound.',
    description: '{{ $value }} objects of kind {{ $labels.kind }} cannot be used: {{ $labels.reason }}.',
  },
];
