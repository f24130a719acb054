import type { Alert } from './alert.ts';

/** Of Fairway itself: replicas and controllers. */
export const FAIRWAY_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayDown',
    expr: 'absent(fairway_build_info)',
    for: '5m',
    severity: 'critical',
    summary: 'No Fairway reports.',
    description:
      'Prometheus has not scraped any Fairway for 5 minutes. Clusters run on, and nothing changes, heals or is repaired.',
  },
  {
    name: 'FairwayMixedVersions',
    expr: 'count(count by (version) (fairway_build_info)) > 1',
    for: '1h',
    severity: 'warning',
    summary: 'Replicas of different versions run side by side.',
    description: '{{ $value }} versions of Fairway have shared the work for an hour: an upgrade was not finished.',
  },
  {
    name: 'FairwayShardsUnowned',
    expr: 'sum(fairway_shards_held) < max(fairway_shards)',
    for: '2m',
    severity: 'critical',
    summary: 'Clusters without a replica that works on them.',
    description: '{{ $value }} of the shards are held; the clusters of the others are not reconciled.',
  },
  {
    name: 'FairwayLeaseLapsed',
    expr: 'increase(fairway_shard_lease_lapses_total[15m]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'A replica lost its Lease while it ran.',
    description: 'Replica {{ $labels.instance }} did not renew its Lease in time; others took its clusters over.',
  },
  {
    name: 'FairwayCertificateEnds',
    expr: 'min(fairway_serving_certificate_expiry_timestamp_seconds) - time() < 604800',
    for: '15m',
    severity: 'warning',
    summary: 'The certificate of Fairway’s API ends soon.',
    description:
      'The operator’s own certificate ends in {{ $value | humanizeDuration }}; from then on clients refuse Fairway’s API, and Fairway does not start with it.',
  },
  {
    name: 'FairwayReconcilesFail',
    expr: 'sum by (controller) (rate(controller_runtime_reconcile_errors_total[10m])) / sum by (controller) (rate(controller_runtime_reconcile_total[10m])) > 0.5',
    for: '15m',
    severity: 'warning',
    summary: 'A controller mostly fails.',
    description: 'More than half of what controller {{ $labels.controller }} does has failed for 15 minutes.',
  },
  {
    name: 'FairwayWorkQueueSlow',
    expr: 'histogram_quantile(0.99, sum by (controller, le) (rate(workqueue_queue_duration_seconds_bucket[10m]))) > 60',
    for: '15m',
    severity: 'warning',
    summary: 'Work waits for more than a minute.',
    description:
      'Objects wait {{ $value | humanizeDuration }} (p99) until controller {{ $labels.controller }} takes them up.',
  },
  {
    name: 'FairwayReconcileStuck',
    expr: 'workqueue_longest_running_processor_seconds > 600',
    for: '5m',
    severity: 'warning',
    summary: 'A reconcile hangs.',
    description:
      'Controller {{ $labels.controller }} of {{ $labels.instance }} has been at one object for {{ $value | humanizeDuration }}.',
  },
];
