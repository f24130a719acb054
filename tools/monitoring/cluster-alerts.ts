import type { Alert } from './alert.ts';

/** Of tenants’ clusters, their nodes and control planes, and of backups. */
export const CLUSTER_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayControlPlaneDown',
    expr: 'fairway_cluster_control_plane_ready == 0 unless on (namespace, cluster) fairway_cluster_info{phase=~"Pending|Provisioning|Hibernating|Hibernated|Waking|Deleting"}',
    for: '5m',
    severity: 'critical',
    summary: 'A cluster’s API server is away.',
    description:
      'The control plane of cluster {{ $labels.namespace }}/{{ $labels.cluster }} has not served for 5 minutes.',
  },
  {
    name: 'FairwayClusterNotReady',
    expr: 'fairway_cluster_ready == 0 unless on (namespace, cluster) fairway_cluster_info{phase=~"Hibernated|Deleting"}',
    for: '30m',
    severity: 'warning',
    summary: 'A cluster is not Ready.',
    description: 'Cluster {{ $labels.namespace }}/{{ $labels.cluster }} has not been Ready for half an hour.',
  },
  {
    name: 'FairwayNodesMissing',
    expr: 'fairway_cluster_nodes{state="desired"} - ignoring (state) fairway_cluster_nodes{state="ready"} > 0',
    for: '30m',
    severity: 'warning',
    summary: 'A cluster has fewer nodes than it asks for.',
    description:
      '{{ $value }} nodes of cluster {{ $labels.namespace }}/{{ $labels.cluster }} have been missing for half an hour.',
  },
  {
    name: 'FairwayManyNodesNotReady',
    expr: 'sum(fairway_machines{phase="NotReady"}) / sum(fairway_machines) > 0.1 and sum(fairway_machines) >= 10',
    for: '10m',
    severity: 'critical',
    summary: 'Many nodes failed at once.',
    description: '{{ $value | humanizePercentage }} of all nodes are not Ready.',
  },
  {
    name: 'FairwayUpgradesHalted',
    expr: 'sum(fairway_upgrade_pools{state="Halted"}) / sum(fairway_upgrade_pools{state=~"Halted|Running"}) > 0.5 and sum(fairway_upgrade_pools{state="Halted"}) >= 3',
    for: '15m',
    severity: 'warning',
    summary: 'Most upgrades of nodes have halted.',
    description:
      'In {{ $value | humanizePercentage }} of the pools whose nodes are being renewed the new nodes do not become ready.',
  },
  {
    name: 'FairwayRolloutFailed',
    expr: 'max by (minor) ({__name__=~"fairway_rollout_clusters|fairway_forced_upgrade_clusters", state="failed"}) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'Control planes failed at a new version.',
    description:
      '{{ $value }} clusters of Kubernetes {{ $labels.minor }} did not come to run the version of a rollout in time.',
  },
  {
    name: 'FairwayOperationFailed',
    expr: 'sum by (kind, operation) (increase(fairway_operation_duration_seconds_count{result="Failed",operation!="Upgrade"}[1h])) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'An operation failed for good.',
    description: '{{ $labels.operation }} of a {{ $labels.kind }} failed and waits for a change by a person.',
  },
  {
    name: 'FairwayClusterCreationSlow',
    expr: 'histogram_quantile(0.9, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Cluster",operation="Create"}[1h]))) > 900',
    for: '0m',
    severity: 'warning',
    summary: 'New clusters take long.',
    description: 'One in ten clusters of the last hour took more than {{ $value | humanizeDuration }} to become Ready.',
  },
  {
    name: 'FairwayControlPlanesRestart',
    expr: 'sum by (instance, runtime) (increase(fairway_control_plane_restarts_total[1h])) > 10',
    for: '0m',
    severity: 'warning',
    summary: 'Programs of control planes keep ending.',
    description:
      '{{ $value | humanize }} programs of control planes on {{ $labels.instance }} ended within an hour and were started again.',
  },
  {
    name: 'FairwayControlPlanesStopped',
    expr: 'sum by (instance, runtime) (fairway_control_planes{state="stopped"}) > 2 and sum by (instance, runtime) (fairway_control_planes{state="stopped"}) > 0.2 * sum by (instance, runtime) (fairway_control_planes)',
    for: '10m',
    severity: 'critical',
    summary: 'Many control planes do not run.',
    description: '{{ $value }} control planes of {{ $labels.instance }} do not run.',
  },
  {
    name: 'FairwayDatabaseNearQuota',
    expr: 'fairway_cluster_etcd_usage_bytes / fairway_cluster_etcd_quota_bytes > 0.85',
    for: '15m',
    severity: 'warning',
    summary: 'A cluster’s database is nearly full.',
    description:
      'The database of cluster {{ $labels.namespace }}/{{ $labels.cluster }} uses {{ $value | humanizePercentage }} of its quota.',
  },
  {
    name: 'FairwaySnapshotOld',
    expr: 'time() - fairway_cluster_etcd_snapshot_timestamp_seconds > 36 * 3600 unless on (namespace, cluster) fairway_cluster_info{phase="Hibernated"}',
    for: '1h',
    severity: 'warning',
    summary: 'A cluster’s last snapshot is old.',
    description:
      'The newest snapshot of cluster {{ $labels.namespace }}/{{ $labels.cluster }} was taken {{ $value | humanizeDuration }} ago.',
  },
  {
    name: 'FairwaySnapshotsFail',
    expr: 'fairway_cluster_etcd_snapshots_failing == 1',
    for: '1h',
    severity: 'warning',
    summary: 'Snapshots of a cluster fail.',
    description:
      'Snapshots of cluster {{ $labels.namespace }}/{{ $labels.cluster }} that are due have not been taken for an hour.',
  },
  {
    name: 'FairwayAuthoritiesEnd',
    expr: 'min(fairway_cluster_certificates_first_expiry_timestamp_seconds{kind="authority"}) - time() < 180 * 86400',
    for: '1h',
    severity: 'warning',
    summary: 'The certificate authorities of a cluster end soon.',
    description:
      'The first authority of all clusters ends in {{ $value | humanizeDuration }}: then its nodes and all of its kubeconfigs work no longer.',
  },
  {
    name: 'FairwayControlPlaneCertificatesEnd',
    expr: 'min(fairway_cluster_certificates_first_expiry_timestamp_seconds{kind="control-plane"}) - time() < 30 * 86400',
    for: '1h',
    severity: 'critical',
    summary: 'Certificates of a control plane are not renewed.',
    description:
      'The first certificate of all control planes ends in {{ $value | humanizeDuration }}, and should have been renewed three months ago.',
  },
  {
    name: 'FairwayBackupOverdue',
    expr: 'fairway_backup_overdue_seconds > 3600',
    for: '0m',
    severity: 'warning',
    summary: 'Fairway’s own objects are not backed up.',
    description: 'A backup of Fairway’s objects to the object store has been due for {{ $value | humanizeDuration }}.',
  },
];
