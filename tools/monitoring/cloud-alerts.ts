import type { Alert } from './alert.ts';

/** Alerts for OpenStack, credentials, plans and releases. */
export const CLOUD_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayOpenStackErrors',
    expr: 'sum by (cloud, service) (rate(fairway_openstack_requests_total{code=~"5xx|timeout|network"}[5m])) / sum by (cloud, service) (rate(fairway_openstack_requests_total[5m])) > 0.2',
    for: '10m',
    severity: 'critical',
    summary: 'An OpenStack service returns too many errors.',
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
    summary: 'Calls to a cloud are throttled by Fairway’s own rate limit.',
    description:
      'Calls to cloud {{ $labels.cloud }} have been queuing for 15 minutes because Fairway’s request budget for it is used up.',
  },
  {
    name: 'FairwayCloudViewStale',
    expr: 'max by (cloud, resource) (fairway_openstack_cache_age_seconds) > 900',
    for: '5m',
    severity: 'warning',
    summary: 'Fairway’s cache of a cloud is stale.',
    description:
      'A cached list of {{ $labels.resource }} in cloud {{ $labels.cloud }} is {{ $value | humanizeDuration }} old.',
  },
  {
    name: 'FairwayCredentialsRefused',
    expr: 'sum by (reason) (fairway_objects_not_ready{kind="CloudCredential"}) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Tenants’ credentials are not usable.',
    description: '{{ $value }} CloudCredentials are not Ready: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayCloudLacksRoom',
    expr: 'sum by (kind, reason) (fairway_objects_not_ready{reason=~"QuotaExceeded|FlavorOutOfStock|AddressesExhausted"}) > 0',
    for: '30m',
    severity: 'warning',
    summary: 'Clusters wait for capacity in the cloud.',
    description: '{{ $value }} objects of kind {{ $labels.kind }} are waiting: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayOfferUnsound',
    expr: 'sum by (kind, reason) (fairway_objects_not_ready{kind=~"Plan|KubernetesRelease"}) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'A plan or release is unusable.',
    description: '{{ $value }} objects of kind {{ $labels.kind }} cannot be used: {{ $labels.reason }}.',
  },
];
