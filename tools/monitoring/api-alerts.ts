import type { Alert } from './alert.ts';

/** Alerts for Fairway’s API and orphaned cloud resources. */
export const API_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayApiErrors',
    expr: 'sum by (instance) (rate(fairway_api_requests_total{code="5xx"}[5m])) / sum by (instance) (rate(fairway_api_requests_total[5m])) > 0.05',
    for: '10m',
    severity: 'critical',
    summary: 'Fairway’s API returns too many server errors.',
    description: '{{ $value | humanizePercentage }} of the requests to {{ $labels.instance }} return 5xx.',
  },
  {
    name: 'FairwayApiTurnsAway',
    expr: 'sum by (instance, reason) (rate(fairway_api_rejections_total[5m])) > 1',
    for: '15m',
    severity: 'warning',
    summary: 'Fairway’s API rejects requests.',
    description:
      '{{ $labels.instance }} rejects {{ $value | humanize }} requests per second because of a limit: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayReviewsFail',
    expr: 'sum(rate(fairway_gateway_review_duration_seconds_count{outcome="failed"}[5m])) > 0',
    for: '5m',
    severity: 'critical',
    summary: 'Writes are rejected because the admission webhook fails.',
    description:
      'kube-apiserver calls the gateways to review writes to clusters and node pools, and these reviews fail: kube-apiserver rejects the writes.',
  },
  {
    name: 'FairwayRemainsHeld',
    expr: 'fairway_vanished_clusters{state="held"} > 0',
    for: '10m',
    severity: 'warning',
    summary: 'Cloud resources of a deleted cluster await a decision.',
    description:
      '{{ $value }} clusters were deleted without Fairway, and left cloud resources that Fairway does not delete automatically.',
  },
  {
    name: 'FairwayOrphansStay',
    expr: 'sum by (instance, kind, state) (fairway_orphans) > 0',
    for: '1h',
    severity: 'warning',
    summary: 'Orphaned cloud resources are not deleted.',
    description:
      '{{ $value }} {{ $labels.kind }} of deleted clusters, pools or machines still exist in the cloud ({{ $labels.state }}).',
  },
  {
    name: 'FairwayClusterSeriesOmitted',
    expr: 'sum(fairway_cluster_series_omitted) > 0',
    for: '1h',
    severity: 'info',
    summary: 'Some clusters have no metrics of their own.',
    description:
      '{{ $value }} clusters exceed the limit for per-cluster series: alerts about individual clusters do not cover them.',
  },
  {
    name: 'FairwayTracesLost',
    expr: 'sum by (instance) (increase(fairway_trace_spans_total{result="lost"}[15m])) > 0',
    for: '30m',
    severity: 'info',
    summary: 'Traces are being lost.',
    description:
      '{{ $labels.instance }} dropped {{ $value | humanize }} spans in the last 15 minutes, because the trace receiver is unreachable, slow or full.',
  },
];
