import type { Alert } from './alert.ts';

/** Of Fairway’s API, and what is left behind. */
export const API_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayApiErrors',
    expr: 'sum by (instance) (rate(fairway_api_requests_total{code="5xx"}[5m])) / sum by (instance) (rate(fairway_api_requests_total[5m])) > 0.05',
    for: '10m',
    severity: 'critical',
    summary: 'Fairway’s API fails.',
    description: '{{ $value | humanizePercentage }} of the requests to {{ $labels.instance }} are answered with 5xx.',
  },
  {
    name: 'FairwayApiTurnsAway',
    expr: 'sum by (instance, reason) (rate(fairway_api_rejections_total[5m])) > 1',
    for: '15m',
    severity: 'warning',
    summary: 'Fairway’s API turns clients away.',
    description:
      '{{ $labels.instance }} refuses {{ $value | humanize }} requests a second because of a limit: {{ $labels.reason }}.',
  },
  {
    name: 'FairwayReviewsFail',
    expr: 'sum(rate(fairway_gateway_review_duration_seconds_count{outcome="failed"}[5m])) > 0',
    for: '5m',
    severity: 'critical',
    summary: 'Writes are refused because Fairway cannot review them.',
    description:
      'kube-apiserver asks the gateways to review writes of clusters and pools, and they cannot: the writes are refused.',
  },
  {
    name: 'FairwayRemainsHeld',
    expr: 'fairway_vanished_clusters{state="held"} > 0',
    for: '10m',
    severity: 'warning',
    summary: 'Remains of a cluster wait for a decision.',
    description:
      '{{ $value }} clusters went without Fairway and left something in the cloud that Fairway does not delete by itself.',
  },
  {
    name: 'FairwayOrphansStay',
    expr: 'sum by (instance, kind, state) (fairway_orphans) > 0',
    for: '1h',
    severity: 'warning',
    summary: 'Resources in the cloud whose owners are gone stay there.',
    description:
      '{{ $value }} {{ $labels.kind }} in the cloud belong to clusters, pools or machines that Fairway has deleted, and are still there ({{ $labels.state }}).',
  },
  {
    name: 'FairwayClusterSeriesOmitted',
    expr: 'sum(fairway_cluster_series_omitted) > 0',
    for: '1h',
    severity: 'info',
    summary: 'Not every cluster has metrics of its own.',
    description:
      '{{ $value }} clusters are beyond the limit of those with series of their own: alerts about single clusters do not see them.',
  },
  {
    name: 'FairwayTracesLost',
    expr: 'sum by (instance) (increase(fairway_trace_spans_total{result="lost"}[15m])) > 0',
    for: '30m',
    severity: 'info',
    summary: 'Traces get lost.',
    description:
      '{{ $value | humanize }} spans of the last 15 minutes of {{ $labels.instance }} were dropped, because what receives traces is away, slow or full.',
  },
];
