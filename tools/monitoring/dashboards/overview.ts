import type { DashboardData } from './dashboard.ts';

/** The dashboard that operators open first: clusters, stuck objects, controllers, the API and the process. */
export const OVERVIEW: DashboardData = {
  uid: 'fairway-overview',
  title: 'Fairway',
  variables: [],
  panels: [
    {
      title: 'Clusters',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [{ expr: 'sum(fairway_clusters)', legend: '' }],
    },
    {
      title: 'Clusters not Ready',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [{ expr: 'sum(fairway_objects_not_ready{kind="Cluster"}) or vector(0)', legend: '' }],
    },
    { title: 'Nodes', type: 'stat', unit: 'short', width: 4, queries: [{ expr: 'sum(fairway_machines)', legend: '' }] },
    {
      title: 'Nodes not Ready',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [{ expr: 'sum(fairway_machines{phase="NotReady"}) or vector(0)', legend: '' }],
    },
    {
      title: 'Replicas',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [{ expr: 'count(fairway_build_info)', legend: '' }],
    },
    {
      title: 'Shards held',
      type: 'stat',
      unit: 'percentunit',
      width: 4,
      queries: [{ expr: 'sum(fairway_shards_held) / max(fairway_shards)', legend: '' }],
    },
    {
      title: 'Clusters by phase',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (phase) (fairway_clusters)', legend: '{{phase}}' }],
    },
    {
      title: 'Clusters by version',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (version) (fairway_clusters)', legend: '{{version}}' }],
    },
    {
      title: 'Clusters by plan',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (plan) (fairway_clusters)', legend: '{{plan}}' }],
    },
    {
      title: 'Machines by phase',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (phase) (fairway_machines)', legend: '{{phase}}' }],
    },
    {
      title: 'Node pools by phase',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (phase) (fairway_node_pools)', legend: '{{phase}}' }],
    },
    {
      title: 'Not Ready by reason',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (kind, reason) (fairway_objects_not_ready)', legend: '{{kind}} {{reason}}' }],
    },
    {
      title: 'Cluster creation to Ready',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'histogram_quantile(0.5, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Cluster",operation="Create"}[1h])))',
          legend: 'p50',
        },
        {
          expr: 'histogram_quantile(0.9, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Cluster",operation="Create"}[1h])))',
          legend: 'p90',
        },
        {
          expr: 'histogram_quantile(0.99, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Cluster",operation="Create"}[1h])))',
          legend: 'p99',
        },
      ],
    },
    {
      title: 'Machine creation to Ready',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'histogram_quantile(0.5, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Machine",operation="Create"}[1h])))',
          legend: 'p50',
        },
        {
          expr: 'histogram_quantile(0.9, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Machine",operation="Create"}[1h])))',
          legend: 'p90',
        },
        {
          expr: 'histogram_quantile(0.99, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Machine",operation="Create"}[1h])))',
          legend: 'p99',
        },
      ],
    },
    {
      title: 'Operations per hour by result',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [
        {
          expr: 'sum by (kind, operation, result) (increase(fairway_operation_duration_seconds_count[1h]))',
          legend: '{{kind}} {{operation}} {{result}}',
        },
      ],
    },
    {
      title: 'Control planes',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (runtime, state) (fairway_control_planes)', legend: '{{runtime}} {{state}}' }],
    },
    {
      title: 'Control plane memory',
      type: 'timeseries',
      unit: 'bytes',
      width: 8,
      queries: [
        { expr: 'sum by (instance, runtime) (fairway_control_plane_memory_bytes)', legend: '{{instance}} {{runtime}}' },
      ],
    },
    {
      title: 'Control plane process restarts per hour',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [
        { expr: 'sum by (instance) (increase(fairway_control_plane_restarts_total[1h]))', legend: '{{instance}}' },
      ],
    },
    {
      title: 'Reconciles per second',
      type: 'timeseries',
      unit: 'ops',
      width: 8,
      queries: [
        {
          expr: 'sum by (controller) (rate(controller_runtime_reconcile_total[$__rate_interval]))',
          legend: '{{controller}}',
        },
      ],
    },
    {
      title: 'Errors per second',
      type: 'timeseries',
      unit: 'ops',
      width: 8,
      queries: [
        {
          expr: 'sum by (controller) (rate(controller_runtime_reconcile_errors_total[$__rate_interval]))',
          legend: '{{controller}}',
        },
      ],
    },
    {
      title: 'Reconcile time, p95',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'histogram_quantile(0.95, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket[$__rate_interval])))',
          legend: '{{controller}}',
        },
      ],
    },
    {
      title: 'Work queue depth',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'sum by (controller) (workqueue_depth)', legend: '{{controller}}' }],
    },
    {
      title: 'Work queue wait, p95',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'histogram_quantile(0.95, sum by (controller, le) (rate(workqueue_queue_duration_seconds_bucket[$__rate_interval])))',
          legend: '{{controller}}',
        },
      ],
    },
    {
      title: 'Retries per second',
      type: 'timeseries',
      unit: 'ops',
      width: 8,
      queries: [
        { expr: 'sum by (controller) (rate(workqueue_retries_total[$__rate_interval]))', legend: '{{controller}}' },
      ],
    },
    {
      title: 'API requests per second',
      type: 'timeseries',
      unit: 'reqps',
      width: 8,
      queries: [
        {
          expr: 'sum by (method, code) (rate(fairway_api_requests_total[$__rate_interval]))',
          legend: '{{method}} {{code}}',
        },
      ],
    },
    {
      title: 'Gateway by destination',
      type: 'timeseries',
      unit: 'reqps',
      width: 8,
      queries: [
        {
          expr: 'sum by (destination, code) (rate(fairway_gateway_requests_total[$__rate_interval]))',
          legend: '{{destination}} {{code}}',
        },
      ],
    },
    {
      title: 'Rejected requests per second',
      type: 'timeseries',
      unit: 'reqps',
      width: 8,
      queries: [
        { expr: 'sum by (reason) (rate(fairway_api_rejections_total[$__rate_interval]))', legend: '{{reason}}' },
      ],
    },
    {
      title: 'Shards held by replica',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'fairway_shards_held', legend: '{{instance}}' }],
    },
    {
      title: 'Running versions',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [{ expr: 'count by (version) (fairway_build_info)', legend: '{{version}}' }],
    },
    {
      title: 'Audit events per second',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [
        { expr: 'sum by (instance) (rate(fairway_audit_events_total[$__rate_interval]))', legend: '{{instance}}' },
        {
          expr: 'sum by (reason) (rate(fairway_audit_events_lost_total[$__rate_interval]))',
          legend: 'lost: {{reason}}',
        },
      ],
    },
    {
      title: 'Failed or slow requests in the last hour',
      type: 'timeseries',
      unit: 'percentunit',
      width: 8,
      queries: [
        { expr: 'fairway:api_requests_errors:ratio_rate1h', legend: '5xx' },
        { expr: 'fairway:api_requests_slow:ratio_rate1h', legend: 'longer than 1 s' },
      ],
    },
    {
      title: 'API latency',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'histogram_quantile(0.5, sum by (verb, le) (rate(fairway_api_request_duration_seconds_bucket[$__rate_interval])))',
          legend: '{{verb}}, p50',
        },
        {
          expr: 'histogram_quantile(0.99, sum by (verb, le) (rate(fairway_api_request_duration_seconds_bucket[$__rate_interval])))',
          legend: '{{verb}}, p99',
        },
      ],
    },
    {
      title: 'Longest running reconcile',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'max by (controller) (workqueue_longest_running_processor_seconds) > 10',
          legend: '{{controller}}',
        },
      ],
    },
    {
      title: 'Replica memory',
      type: 'timeseries',
      unit: 'bytes',
      width: 8,
      queries: [
        {
          expr: 'process_resident_memory_bytes * on (instance, job) group_left () fairway_build_info',
          legend: '{{instance}}',
        },
      ],
    },
    {
      title: 'Replica CPU, cores',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [
        {
          expr: 'rate(process_cpu_seconds_total[$__rate_interval]) * on (instance, job) group_left () fairway_build_info',
          legend: '{{instance}}',
        },
      ],
    },
    {
      title: 'Trace spans per second',
      type: 'timeseries',
      unit: 'ops',
      width: 8,
      queries: [{ expr: 'sum by (result) (rate(fairway_trace_spans_total[$__rate_interval]))', legend: '{{result}}' }],
    },
  ],
};
