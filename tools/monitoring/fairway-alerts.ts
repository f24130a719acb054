import type { Alert } from './alert.ts';

/** Alerts for Fairway itself: replicas and controllers. */
export const FAIRWAY_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayDown',
    expr: 'absent(fairway_build_info)',
    for: '5m',
    severity: 'critical',
    summary: 'Fairway is not being scraped.',
    description:
      'Prometheus has not scraped any replica of Fairway for 5 minutes. If none is running, existing clusters keep working, but nothing is reconciled or repaired.',
  },
  {
    name: 'FairwayMixedVersions',
    expr: 'count(count by (version) (fairway_build_info)) > 1',
    for: '1h',
    severity: 'warning',
    summary: 'Replicas run different versions.',
    description:
      '{{ $value }} versions of Fairway have been running side by side for an hour: an upgrade was not completed.',
  },
  {
    name: 'FairwayShardsUnowned',
    expr: 'sum(fairway_shards_held) < max(fairway_shards)',
    for: '2m',
    severity: 'critical',
    summary: 'Some clusters are not reconciled by any replica.',
    description:
      'Only {{ $value }} of the shards are held by a replica; clusters in the other shards are not reconciled.',
  },
  {
    name: 'FairwayLeaseLapsed',
    expr: 'increase(fairway_shard_lease_lapses_total[15m]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'A replica lost its Lease while running.',
    description:
      'Replica {{ $labels.instance }} did not renew its Lease in time; other replicas took over its clusters.',
  },
  {
    name: 'FairwayCertificateEnds',
    expr: 'min(fairway_serving_certificate_expiry_timestamp_seconds) - time() < 604800',
    for: '15m',
    severity: 'warning',
    summary: 'The serving certificate of Fairway’s API expires soon.',
    description:
      'The operator’s own serving certificate expires in {{ $value | humanizeDuration }}; after that, clients reject Fairway’s API, and Fairway does not start with the certificate.',
  },
  {
    name: 'FairwayReconcilesFail',
    expr: 'sum by (controller) (rate(controller_runtime_reconcile_errors_total[10m])) / sum by (controller) (rate(controller_runtime_reconcile_total[10m])) > 0.5',
    for: '15m',
    severity: 'warning',
    summary: 'Most reconciles of a controller fail.',
    description: 'More than half of the reconciles of controller {{ $labels.controller }} have failed for 15 minutes.',
  },
  {
    name: 'FairwayWorkQueueSlow',
    expr: 'histogram_quantile(0.99, sum by (controller, le) (rate(workqueue_queue_duration_seconds_bucket[10m]))) > 60',
    for: '15m',
    severity: 'warning',
    summary: 'Objects wait in the work queue for more than a minute.',
    description:
      'Objects wait {{ $value | humanizeDuration }} (p99) before controller {{ $labels.controller }} reconciles them.',
  },
  {
    name: 'FairwayReconcileStuck',
    expr: 'workqueue_longest_running_processor_seconds > 600',
    for: '5m',
    severity: 'warning',
    summary: 'A reconcile hangs.',
    description:
      'Controller {{ $labels.controller }} of {{ $labels.instance }} has been reconciling one object for {{ $value | humanizeDuration }}.',
  },
];
