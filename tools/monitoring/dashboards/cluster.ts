import type { DashboardData } from './dashboard.ts';

/** One cluster: its state, nodes, database and OpenStack calls. */
export const CLUSTER: DashboardData = {
  uid: 'fairway-cluster',
  title: 'Fairway: one cluster',
  variables: [
    {
      name: 'namespace',
      label: 'Namespace',
      query: 'label_values(fairway_cluster_info, namespace)',
      isMultiValue: false,
    },
    {
      name: 'cluster',
      label: 'Cluster',
      query: 'label_values(fairway_cluster_info{namespace="$namespace"}, cluster)',
      isMultiValue: false,
    },
  ],
  panels: [
    {
      title: 'Ready',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [{ expr: 'fairway_cluster_ready{namespace="$namespace",cluster="$cluster"}', legend: '' }],
    },
    {
      title: 'Control plane',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [{ expr: 'fairway_cluster_control_plane_ready{namespace="$namespace",cluster="$cluster"}', legend: '' }],
    },
    {
      title: 'Nodes desired',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [
        { expr: 'fairway_cluster_nodes{namespace="$namespace",cluster="$cluster",state="desired"}', legend: '' },
      ],
    },
    {
      title: 'Nodes ready',
      type: 'stat',
      unit: 'short',
      width: 4,
      queries: [{ expr: 'fairway_cluster_nodes{namespace="$namespace",cluster="$cluster",state="ready"}', legend: '' }],
    },
    {
      title: 'Database',
      type: 'stat',
      unit: 'percentunit',
      width: 4,
      queries: [
        {
          expr: 'fairway_cluster_etcd_usage_bytes{namespace="$namespace",cluster="$cluster"} / fairway_cluster_etcd_quota_bytes{namespace="$namespace",cluster="$cluster"}',
          legend: '',
        },
      ],
    },
    {
      title: 'Snapshot age',
      type: 'stat',
      unit: 's',
      width: 4,
      queries: [
        {
          expr: 'time() - fairway_cluster_etcd_snapshot_timestamp_seconds{namespace="$namespace",cluster="$cluster"}',
          legend: '',
        },
      ],
    },
    {
      title: 'Cluster',
      type: 'timeseries',
      unit: 'short',
      width: 12,
      queries: [
        {
          expr: 'fairway_cluster_info{namespace="$namespace",cluster="$cluster"}',
          legend: '{{plan}} {{version}} {{phase}}, project {{project}}',
        },
      ],
    },
    {
      title: 'Nodes',
      type: 'timeseries',
      unit: 'short',
      width: 12,
      queries: [{ expr: 'fairway_cluster_nodes{namespace="$namespace",cluster="$cluster"}', legend: '{{state}}' }],
    },
    {
      title: 'Ready and serving',
      type: 'timeseries',
      unit: 'short',
      width: 12,
      queries: [
        { expr: 'fairway_cluster_ready{namespace="$namespace",cluster="$cluster"}', legend: 'Ready' },
        {
          expr: 'fairway_cluster_control_plane_ready{namespace="$namespace",cluster="$cluster"}',
          legend: 'control plane',
        },
        {
          expr: 'fairway_cluster_etcd_snapshots_failing{namespace="$namespace",cluster="$cluster"}',
          legend: 'snapshots fail',
        },
      ],
    },
    {
      title: 'Database',
      type: 'timeseries',
      unit: 'bytes',
      width: 12,
      queries: [
        { expr: 'fairway_cluster_etcd_usage_bytes{namespace="$namespace",cluster="$cluster"}', legend: 'used' },
        { expr: 'fairway_cluster_etcd_quota_bytes{namespace="$namespace",cluster="$cluster"}', legend: 'quota' },
      ],
    },
    {
      title: 'OpenStack calls for its project',
      type: 'timeseries',
      unit: 'reqps',
      width: 24,
      queries: [
        {
          expr: 'sum by (service, code) (rate(fairway_openstack_project_requests_total[$__rate_interval]) * on (project) group_left () max by (project) (fairway_cluster_info{namespace="$namespace",cluster="$cluster"}))',
          legend: '{{service}} {{code}}',
        },
      ],
    },
  ],
};
